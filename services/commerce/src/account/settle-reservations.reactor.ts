import { type Bus, consume, durables, type EventMessage, type Running } from '@almanac/bus';
import { type ExportState, exportState } from '@almanac/contracts';
import type { Logger } from '@almanac/runtime';
import { v5AccountId } from '../ids.js';
import type { CommerceContext } from '../commerce-deps.js';
import { changeUnlock } from '../unlock/unlocks.js';
import type { AccountCommand } from './account.decider.js';

const settleMs = 5_000;

/** Follows exports to their end, and confirms or releases their reservations. */
export const settleReservations = (bus: Bus, shop: CommerceContext, log: Logger): Promise<Running> =>
  consume(bus, {
    stream: 'EVT_EXPORT',
    durable: durables.commerceExports,
    state: exportState,
    concurrency: 8,
    deliveriesMax: 100,
    onFailure: (error, { subject, seq }, next) =>
      log.warn({ err: error, subject, seq, next }, 'a grant could not be settled'),
    handle: async ({ event: { state } }: EventMessage<ExportState>) => {
      if (state.status === 'pending') return;
      await settleReservation(shop, state, v5AccountId(state.account, `settle ${state.id}`));
    },
  });

export const settleReservation = async (
  shop: CommerceContext,
  state: Exclude<ExportState, { status: 'pending' }>,
  id: string,
): Promise<void> => {
  if (state.status === 'ready') await confirmUse(shop, state, id);
  else await giveBack(shop, { account: state.account, exportId: state.id, reason: state.status, id });
};

/**
 * A free credit unlocks its event for good before the reservation is confirmed. A crash between the two repeats the
 * unlock, which does nothing. If the event was bought meanwhile, the credit is released.
 */
export const confirmUse = async (
  shop: CommerceContext,
  { account, id: exportId }: { account: string; id: string },
  id: string,
): Promise<void> => {
  const { reservations } = await shop.accounts.load(account);
  const reservation = reservations[exportId];
  if (reservation === undefined) return;
  const { credit_event: event } = reservation;
  if (event !== null && !(await spendCredit(shop, { account, event, exportId }))) {
    return giveBack(shop, { account, exportId, reason: 'unlocked meanwhile', id });
  }
  await run(shop, account, { command: { type: 'confirm', exportId }, id });
};

const spendCredit = async (
  { store, nowUs }: CommerceContext,
  { account, event, exportId }: { account: string; event: string; exportId: string },
): Promise<boolean> => {
  const ref = { account, event, id: v5AccountId(account, `unlock ${exportId}`), us: nowUs() };
  const state = await changeUnlock(store, ref, { type: 'spend-credit', account, event, exportId });
  // Older unlocks do not name their export and count as this one's.
  return state?.by === 'free_credit' && (state.export_id ?? exportId) === exportId;
};

export const giveBack = (
  shop: CommerceContext,
  { account, exportId, reason, id }: { account: string; exportId: string; reason: string; id: string },
): Promise<void> => run(shop, account, { command: { type: 'release', exportId, reason }, id });

/** The id makes a repetition harmless. */
const run = async (
  { accounts }: CommerceContext,
  account: string,
  { command, id }: { command: AccountCommand; id: string },
): Promise<void> => {
  await accounts.run(account, command, { timeoutMs: settleMs, id });
};
