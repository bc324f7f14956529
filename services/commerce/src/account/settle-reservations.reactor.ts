import { type Bus, consume, durables, type EventMessage, type Running } from '@almanac/bus';
import { type AccountState, type ExportState, exportState } from '@almanac/contracts';
import type { VersionedState } from '@almanac/event-store';
import type { Logger } from '@almanac/runtime';
import { v5AccountId } from '../ids.js';
import type { CommerceContext } from '../commerce-deps.js';
import { changeUnlock } from '../unlock/unlocks.js';
import type { AccountCommand, ReservationRef } from './account.decider.js';

const settleMs = 5_000;

/** Follows exports to their end, and confirms or releases their reservations. */
export const settleReservations = (bus: Bus, commerce: CommerceContext, log: Logger): Promise<Running> =>
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
      await settleReservation(commerce, state, v5AccountId(state.account, `settle ${state.id}`));
    },
  });

export const settleReservation = async (
  commerce: CommerceContext,
  state: Exclude<ExportState, { status: 'pending' }>,
  id: string,
): Promise<void> => {
  const ref = { account: state.account, ...reservationRefOf(state), id };
  if (state.status === 'ready') await confirmReservation(commerce, ref);
  else await releaseReservation(commerce, { ...ref, reason: state.status });
};

/** The exports of one request share a reservation under the id of their group. */
const reservationRefOf = (state: ExportState): ReservationRef =>
  state.status === 'abandoned' || state.group === undefined
    ? { exportId: state.id }
    : { exportId: state.group.id, part: state.group.part };

/** What to settle, and the id that makes a repetition harmless. */
interface Settlement extends ReservationRef {
  readonly account: string;
  readonly id: string;
}

/**
 * A free credit unlocks its event for good before the reservation is confirmed. A crash between the two repeats the
 * unlock, which does nothing. If the event was bought meanwhile, the credit is released.
 */
const confirmReservation = async (commerce: CommerceContext, settlement: Settlement): Promise<void> => {
  const { account, exportId, part, id } = settlement;
  const loaded = await commerce.accounts.loadVersion(account);
  const reservation = loaded.state.reservations[exportId];
  if (reservation === undefined) return;
  const { credit_event: event } = reservation;
  if (event !== null && !(await spendCredit(commerce, { account, event, exportId }))) {
    return releaseReservation(commerce, { ...settlement, reason: 'unlocked meanwhile' });
  }
  await run(commerce, account, { command: { type: 'confirm', exportId, ...partIn({ part }) }, id, loaded });
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

export const releaseReservation = (
  commerce: CommerceContext,
  { account, exportId, part, reason, id }: Settlement & { reason: string },
): Promise<void> => run(commerce, account, { command: { type: 'release', exportId, ...partIn({ part }), reason }, id });

const partIn = ({ part }: { part: number | undefined }): { part?: number } => (part === undefined ? {} : { part });

/** The id makes a repetition harmless. */
const run = async (
  { accounts }: CommerceContext,
  account: string,
  { command, ...options }: { command: AccountCommand; id: string; loaded?: VersionedState<AccountState> },
): Promise<void> => {
  await accounts.run(account, command, { timeoutMs: settleMs, ...options });
};
