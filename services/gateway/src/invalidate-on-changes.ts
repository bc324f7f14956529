import { type Bus, follow, type Following, idOf, type Running } from '@almanac/bus';
import { archiveState, type commerceEvents } from '@almanac/contracts';
import type { Logger } from '@almanac/runtime';
import { z } from 'zod';
import type { Authentication } from './auth/authenticate.js';
import type { Forwarder } from './cache/forward.js';
import type { EventStreams } from './http/event-streams.js';

export interface Changes extends Running {
  readonly keys: Following;
}

export interface ChangesOptions {
  readonly authentication: Authentication;
  readonly forwarder: Forwarder;
  readonly streams: Pick<EventStreams, 'endOf' | 'endAll'>;
  readonly log: Logger;
}

/** Follows changes and invalidates the cached values that depend on them. */
export const invalidateOnChanges = async (bus: Bus, options: ChangesOptions): Promise<Changes> => {
  const { authentication, forwarder, streams, log } = options;
  const onUnreadable = (error: unknown, { subject, seq }: { subject: string; seq: number }): void => {
    log.error({ err: error, subject, seq }, 'an event cannot be read');
    // The content of the event is unknown, so no cached value is current any more.
    authentication.invalidateAll();
    forwarder.onFeedLost();
    streams.endAll();
  };
  const following = { from: 'new', onUnreadable } as const;
  const keys = await follow(bus, {
    ...following,
    stream: 'EVT_KEYS',
    state: z.unknown(),
    onEvent: ({ subject }) => {
      authentication.invalidate(accountIn(subject));
      // The key behind an open stream may be revoked now.
      streams.endOf(accountIn(subject));
    },
  });
  const commerce = await follow(bus, {
    ...following,
    stream: 'EVT_COMMERCE',
    state: z.unknown(),
    // The plan is part of a cached key, and unlocked books are part of answers.
    onEvent: ({ subject, event }) => {
      if (eventsWithoutCacheEffect.has(event.type)) return;
      authentication.invalidate(accountIn(subject));
      forwarder.accountChanged(accountIn(subject));
    },
  });
  const archive = await follow(bus, {
    ...following,
    stream: 'EVT_ARCHIVE',
    state: archiveState,
    onEvent: ({ event }) => forwarder.marketChanged(event.state.ticker, event.state.version),
  });
  return {
    keys,
    stop: async () => {
      await Promise.all([keys.stop(), commerce.stop(), archive.stop()]);
    },
  };
};

/**
 * Frequent events of an account that affect neither cached keys nor cached answers. Otherwise each export would cause
 * another check of the account's key. All other events, including future ones, invalidate.
 */
const eventsWithoutCacheEffect: ReadonlySet<string> = new Set<keyof typeof commerceEvents>([
  'GrantReserved',
  'GrantConfirmed',
  'GrantReleased',
  'CartLineAdded',
  'CartLinesRemoved',
]);

/** The account is the token after the domain: `evt.keys.<account>`, `evt.commerce.<account>.unlock.<event>`. */
const accountIn = (subject: string): string => idOf(subject.split('.')[2] ?? '');
