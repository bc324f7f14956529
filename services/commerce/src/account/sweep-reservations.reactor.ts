import { type Bus, follow, type Running, subjects } from '@almanac/bus';
import { type AccountState, accountState, exportState } from '@almanac/contracts';
import { ConflictError, type EventStore } from '@almanac/event-store';
import type { Logger } from '@almanac/runtime';
import { z } from 'zod';
import { v5AccountId } from '../ids.js';

export interface SweepOptions {
  readonly log: Logger;
  /** How old a reservation is before its export is looked for. */
  readonly afterMs: number;
  readonly everyMs: number;
}

/**
 * Finds reservations whose export never appeared, because the export service died between the two, and gives them
 * back. It first appends ExportAbandoned to the export's own subject, expecting none: a late ExportRequested then
 * fails, so no file is ever free. The release follows from that event as from any other end of an export.
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
  let sweeping: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    sweeping = sweeping.then(() => sweep(store, [...open.values()], options));
  }, options.everyMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await sweeping;
      await following.stop();
    },
  };
};

const sweep = async (store: EventStore, accounts: readonly AccountState[], options: SweepOptions): Promise<void> => {
  const before = (Date.now() - options.afterMs) * 1_000;
  for (const { account, reservations } of accounts) {
    for (const [exportId, reservation] of Object.entries(reservations)) {
      if (reservation.at_us > before) continue;
      try {
        await abandon(store, account, exportId);
      } catch (error) {
        options.log.warn({ err: error, account, export_id: exportId }, 'a reservation could not be swept');
      }
    }
  }
};

const abandon = async (store: EventStore, account: string, exportId: string): Promise<void> => {
  const subject = subjects.export(account, exportId);
  if ((await store.load(subject, exportState)) !== undefined) return;
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
    await store.append(subject, event, 0);
  } catch (error) {
    // The export came after all: its reservation ends with it.
    if (!(error instanceof ConflictError)) throw error;
  }
};
