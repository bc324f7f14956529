import { type Bus, consume, durables, type EventMessage, type Running, subjects } from '@almanac/bus';
import { type AccountState, type ExportState, exportState } from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import type { Logger } from '@almanac/runtime';
import { v5AccountId } from '../ids.js';
import { unlockDecider } from '../unlock/unlock.decider.js';
import { accountDecider, type AccountCommand } from './account.decider.js';

const settleMs = 5_000;

/** Runs a command of an account; its id makes a repetition harmless. Undefined when the account does not exist. */
export const runAccountCommand = async (
  store: EventStore,
  account: string,
  { command, id }: { command: AccountCommand; id: string },
): Promise<AccountState | undefined> => {
  const outcome = await execute(store, accountDecider(account), {
    subject: subjects.account(account),
    command,
    id,
    account,
    time: Date.now() * 1_000,
    timeoutMs: settleMs,
  });
  return outcome?.state;
};

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
    handle: async ({ event }: EventMessage<ExportState>) => {
      const { state } = event;
      if (state.status === 'pending') return;
      const id = v5AccountId(state.account, `settle ${state.id}`);
      if (state.status === 'ready') await confirm(store, state, id);
      else
        await runAccountCommand(store, state.account, {
          command: { type: 'release', exportId: state.id, reason: state.status },
          id,
        });
    },
  });

/**
 * A free credit unlocks its event for good, before the reservation is closed: a crash between the two repeats the
 * unlock, which is there already.
 */
const confirm = async (
  store: EventStore,
  state: Extract<ExportState, { status: 'ready' }>,
  id: string,
): Promise<void> => {
  const { account, question } = state;
  if (state.grant === 'free_credit' && question.event !== null) {
    await execute(store, unlockDecider, {
      subject: subjects.unlock(account, question.event),
      command: { account, event: question.event, by: 'free_credit' },
      id: v5AccountId(account, `unlock ${state.id}`),
      account,
      time: Date.now() * 1_000,
      timeoutMs: settleMs,
    });
  }
  await runAccountCommand(store, account, { command: { type: 'confirm', exportId: state.id }, id });
};
