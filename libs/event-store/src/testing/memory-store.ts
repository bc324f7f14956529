import { parseCarrying, type StoredEvent, stringifyCarried } from '@almanac/contracts';
import { ConflictError, type EventStore } from '../event-store.js';

/** An event store in memory, for tests without a server. It passes the same suite as the JetStream store. */
export const memoryStore = (): EventStore & { readonly events: readonly { subject: string; text: string }[] } => {
  const events: { subject: string; id: string; text: string }[] = [];
  const lastOf = (subject: string) => events.findLastIndex((stored) => stored.subject === subject);
  const load: EventStore['load'] = async (subject, state) => {
    const index = lastOf(subject);
    const stored = events[index];
    if (stored === undefined) return undefined;
    const event = JSON.parse(stored.text) as StoredEvent;
    const parsed = parseCarrying(state, event.state);
    return { state: parsed, seq: index + 1, event: { ...event, state: parsed } };
  };
  return {
    events,
    load,
    confirmed: (_subject, _state, loaded) => Promise.resolve(loaded),
    loadToShow: load,
    append: async (subject, event, expectedSeq) => {
      const known = events.findIndex((stored) => stored.id === event.id);
      if (known >= 0) return { seq: known + 1, duplicate: true };
      if (lastOf(subject) + 1 !== expectedSeq) throw new ConflictError(`${subject} has moved on from ${expectedSeq}`);
      return { seq: events.push({ subject, id: event.id, text: stringifyCarried(event) }), duplicate: false };
    },
  };
};
