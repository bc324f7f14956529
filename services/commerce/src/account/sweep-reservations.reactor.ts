import { type Bus, follow, type Running, subjects } from '@almanac/bus';
import { type AccountState, accountState, exportState, type Reservation } from '@almanac/contracts';
import { ConflictError, type EventStore } from '@almanac/event-store';
import type { Logger } from '@almanac/runtime';
import { z } from 'zod';
import { v5AccountId } from '../ids.js';
import { confirmUse, giveBack } from './settle-reservations.reactor.js';

export interface SweepOptions {
  readonly log: Logger;
  /** How old a reservation is before its export is looked for. */
  readonly afterMs: number;
  readonly everyMs: number;
}

/** A reservation that is open for longer than it should be. */
interface Stale {
  readonly account: string;
  readonly exportId: string;
  readonly reservation: Reservation;
}

/**
 * Closes reservations that nothing else will close: those whose export never appeared, because the export service died
 * between the two, and those whose export has ended, because its end was heard before they were made or was taken aside.
 */
export const sweepReservations = async (bus: Bus, store: EventStore, options: SweepOptions): Promise<Running> => {
  const open = new Map<string, AccountState>();
  const following = await follow(bus, {
    stream: 'EVT_COMMERCE',
    from: 'first',
    // Unlocks share the stream and have another state; a filter over all accounts would cost the server memory.
    state: z.unknown(),
    onUnreadable: (error, { subject, seq }) =>
      options.log.error({ err: error, subject, seq }, 'an event is unreadable'),
    onEvent: ({ subject, event }) => {
      const account = accountState.safeParse(event.state);
      if (!account.success) return;
      if (Object.keys(account.data.reservations).length > 0) open.set(subject, account.data);
      else open.delete(subject);
    },
  });
  let sweeping: Promise<void> | undefined;
  let stopped = false;
  const timer = setInterval(() => {
    sweeping ??= sweep(store, {
      log: options.log,
      stale: staleOf(open.values(), options),
      stopped: () => stopped,
    }).then(() => (sweeping = undefined));
  }, options.everyMs);
  return {
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await sweeping;
      await following.stop();
    },
  };
};

const staleOf = (accounts: Iterable<AccountState>, { afterMs }: SweepOptions): Stale[] => {
  const before = (Date.now() - afterMs) * 1_000;
  return [...accounts].flatMap(({ account, reservations }) =>
    Object.entries(reservations)
      .filter(([, { at_us }]) => at_us <= before)
      .map(([exportId, reservation]) => ({ account, exportId, reservation })),
  );
};

const sweep = async (
  store: EventStore,
  { log, stale, stopped }: { log: Logger; stale: readonly Stale[]; stopped: () => boolean },
): Promise<undefined> => {
  for (const one of stale) {
    if (stopped()) return;
    try {
      await close(store, one);
    } catch (error) {
      log.warn({ err: error, account: one.account, export_id: one.exportId }, 'a reservation could not be swept');
    }
  }
};

/**
 * What was reserved after its export had ended (a second request under one Idempotency-Key that came late) covers
 * nothing and is given back.
 */
const close = async (store: EventStore, stale: Stale): Promise<void> => {
  const { account, exportId, reservation } = stale;
  const state = (await store.load(subjects.export(account, exportId), exportState))?.state;
  if (state === undefined) return abandon(store, stale);
  if (state.status === 'pending') return;
  const id = v5AccountId(account, `sweep ${exportId} ${reservation.at_us}`);
  if (state.status === 'ready' && reservation.at_us <= state.ready_us) return confirmUse(store, state, id);
  const reason = state.status === 'ready' ? 'reserved after its end' : state.status;
  await giveBack(store, { account, exportId, reason, id });
};

/**
 * Appends ExportAbandoned to the export's own subject, expecting none: a late ExportRequested then fails, so no file is
 * ever free. The release follows from that event as from any other end of an export.
 */
const abandon = async (store: EventStore, { account, exportId }: Stale): Promise<void> => {
  const event = {
    id: v5AccountId(account, `abandon ${exportId}`),
    type: 'ExportAbandoned',
    version: 1,
    time: Date.now() * 1_000,
    account,
    data: {},
    state: exportState.parse({ status: 'abandoned', id: exportId, account }),
  } as const;
  try {
    await store.append(subjects.export(account, exportId), event, 0);
  } catch (error) {
    // The export came after all: its reservation ends with it.
    if (!(error instanceof ConflictError)) throw error;
  }
};
