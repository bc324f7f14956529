import { type Bus, follow, type Following, idOf, type Running } from '@almanac/bus';
import { archiveState, type commerceEvents, type StreamName } from '@almanac/contracts';
import type { Logger } from '@almanac/runtime';
import { z } from 'zod';
import { type ReceivedChanges, receivedChanges } from './auth/received-changes.js';
import type { KeyCache } from './auth/key-cache.js';
import type { Forwarder } from './cache/forward.js';
import type { EventStreams } from './http/event-streams.js';

export interface Followed {
  readonly stream: StreamName;
  readonly following: Following;
}

export interface Changes extends Running {
  readonly followed: Readonly<Record<'keys' | 'commerce' | 'archive' | 'catalogue', Followed>>;
  /** Changes of keys that came with heartbeats, beside those of the follower. */
  readonly receivedKeys: ReceivedChanges;
}

export interface ChangesOptions {
  readonly keyCache: Pick<KeyCache, 'invalidate'>;
  readonly forwarder: Forwarder;
  readonly streams: Pick<EventStreams, 'endOf'>;
  readonly log: Logger;
}

/** Follows changes and invalidates the cached values that depend on them. */
export const invalidateOnChanges = async (bus: Bus, options: ChangesOptions): Promise<Changes> => {
  const { keyCache, forwarder, streams, log } = options;
  /** The content of an unreadable event is unknown, but its subject names what changed. */
  const onUnreadable =
    (changed: (subject: string) => void) =>
    (error: unknown, { subject, seq }: { subject: string; seq: number }): void => {
      log.error({ err: error, subject, seq }, 'an event cannot be read');
      changed(subject);
    };
  const keysOfChanged = (account: string): void => {
    keyCache.invalidate(account);
    // The key behind an open stream may be revoked now.
    streams.endOf(account);
  };
  const keysChanged = (subject: string): void => keysOfChanged(accountIn(subject));
  const accountChanged = (subject: string): void => {
    keyCache.invalidate(accountIn(subject));
    forwarder.accountChanged(accountIn(subject));
  };
  const keys = await follow(bus, {
    stream: 'EVT_KEYS',
    from: 'new',
    state: z.unknown(),
    onEvent: ({ subject }) => keysChanged(subject),
    onUnreadable: onUnreadable(keysChanged),
  });
  const commerce = await follow(bus, {
    stream: 'EVT_COMMERCE',
    from: 'new',
    state: z.unknown(),
    // The plan is part of a cached key, and unlocked books are part of answers.
    onEvent: ({ subject, event }) => {
      if (!eventsWithoutCacheEffect.has(event.type)) accountChanged(subject);
    },
    onUnreadable: onUnreadable(accountChanged),
  });
  const archive = await follow(bus, {
    stream: 'EVT_ARCHIVE',
    from: 'new',
    state: archiveState,
    onEvent: ({ event }) => forwarder.marketChanged(event.state.ticker, event.state.version),
    onUnreadable: onUnreadable((subject) => forwarder.marketChanged(idOf(subject.split('.')[3] ?? ''))),
  });
  const catalogue = await follow(bus, {
    stream: 'EVT_CATALOG',
    from: 'new',
    state: z.unknown(),
    onEvent: ({ subject }) => forwarder.catalogueChanged(subject),
    onUnreadable: onUnreadable(forwarder.catalogueChanged),
  });
  return {
    receivedKeys: receivedChanges(keys, keysOfChanged),
    followed: {
      keys: { stream: 'EVT_KEYS', following: keys },
      commerce: { stream: 'EVT_COMMERCE', following: commerce },
      archive: { stream: 'EVT_ARCHIVE', following: archive },
      catalogue: { stream: 'EVT_CATALOG', following: catalogue },
    },
    stop: async () => {
      await Promise.all([keys, commerce, archive, catalogue].map((following) => following.stop()));
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
  'CheckpointStored',
]);

/** The account is the token after the domain: `evt.keys.<account>`, `evt.commerce.<account>.unlock.<event>`. */
const accountIn = (subject: string): string => idOf(subject.split('.')[2] ?? '');
