import { DomainError, type ProcessStatus } from '@almanac/contracts';
import { counter } from '@almanac/runtime';
import type { Bus } from '../bus.js';

/** A rollout takes minutes. A client that waits this long has a good chance to reach a newer process. */
const retryAfterS = 5;

/** The position and type of an event that only a newer release can read. */
export type NewerEvent = ProcessStatus['newer_events'][number];

/**
 * An event of a type, or with a state, that only a newer release knows. This process must neither decide nor acknowledge
 * anything about its entity. After the upgrade another process does.
 */
export class NewerEventError extends DomainError {
  readonly event: NewerEvent;

  constructor({ subject, seq, type }: NewerEvent) {
    super('unavailable', 'The server is being upgraded. Try again in a few seconds.', {
      cause: new Error(`a newer release wrote the event ${type} at ${seq} of ${subject}`),
      more: { retry_after_s: retryAfterS },
    });
    this.event = { subject, seq, type };
  }
}

const newerEvents = counter(
  'almanac_newer_events_total',
  'reads that met an event that only a newer release can read. Its entity cannot change here until the upgrade',
  ['stream'],
);

const metByBus = new WeakMap<Bus, Map<string, NewerEvent>>();
/** One for each subject. The operator needs examples, and discards those first. */
const metMax = 100;

/** Counts a newer event, and notes it for the operator's list. */
export const noteNewerEvent = (bus: Bus, stream: string, { event }: NewerEventError): void => {
  newerEvents.inc({ stream });
  const met = metByBus.get(bus) ?? new Map<string, NewerEvent>();
  metByBus.set(bus, met);
  if (met.size < metMax || met.has(event.subject)) met.set(event.subject, event);
};

/** The last event of the subject can be read, or its newer event was discarded. */
export const forgetNewerEvent = (bus: Bus, subject: string): void => void metByBus.get(bus)?.delete(subject);

/** The newer events that this process met since its start, one for each subject, at most 100. */
export const metNewerEvents = (bus: Bus): NewerEvent[] => [...(metByBus.get(bus)?.values() ?? [])];
