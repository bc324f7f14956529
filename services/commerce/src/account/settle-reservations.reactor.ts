import { type Bus, consume, durables, type EventMessage, type Running, subjects } from '@almanac/bus';
import { accountState, type ExportState, exportState } from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import type { Logger } from '@almanac/runtime';
import { v5AccountId } from '../ids.js';
import { unlockDecider } from '../unlock/unlock.decider.js';
import { accountDecider, type AccountCommand } from './account.decider.js';

const settleMs = 5_000;

/** Hears how exports end, and turns their reservations into use or gives them back. */
export const settleReservations = (bus: Bus, store: EventStore, log: Logger): Promise<Running> =>
  consume(bus, {
    stream: 'EVT_EXPORT',
    durable: durables.commerceExports,
    state: exportState,
    concurrency: 8,
    deliveriesMax: 100,
    onFailure: (error, { subject, seq }, next) =>
      log.warn({ err: error, subject, seq, next }, 'a grant was not settled'),
    handle: async ({ event: { state } }: EventMessage<ExportState>) => {
      if (state.status === 'pending') return;
      const id = v5AccountId(state.account, `settle ${state.id}`);
      if (state.status === 'ready') await confirmUse(store, state, id);
      else await giveBack(store, { account: state.account, exportId: state.id, reason: state.status, id });
    },
  });

/**
 * A free credit unlocks its event for good, before the reservation is closed: a crash between the two repeats the
 * unlock, which is there already.
 */
export const confirmUse = async (
  store: EventStore,
  { account, id: exportId }: { account: string; id: string },
  id: string,
): Promise<void> => {
  const loaded = await store.load(subjects.account(account), accountState);
  const reservation = loaded?.state.reservations[exportId];
  if (reservation === undefined) return;
  const { credit_event: event } = reservation;
  if (event !== null) {
    await execute(store, unlockDecider, {
      subject: subjects.unlock(account, event),
      command: { account, event, by: 'free_credit' },
      id: v5AccountId(account, `unlock ${exportId}`),
      account,
      time: Date.now() * 1_000,
      timeoutMs: settleMs,
    });
  }
  await run(store, account, { command: { type: 'confirm', exportId }, id });
};

/** Gives a reservation back; one that is gone already stays so. */
export const giveBack = (
  store: EventStore,
  { account, exportId, reason, id }: { account: string; exportId: string; reason: string; id: string },
): Promise<void> => run(store, account, { command: { type: 'release', exportId, reason }, id });

/** Its id makes a repetition harmless. */
const run = async (
  store: EventStore,
  account: string,
  { command, id }: { command: AccountCommand; id: string },
): Promise<void> => {
  await execute(store, accountDecider(account), {
    subject: subjects.account(account),
    command,
    id,
    account,
    time: Date.now() * 1_000,
    timeoutMs: settleMs,
  });
};
