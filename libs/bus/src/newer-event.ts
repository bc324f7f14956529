import { DomainError } from '@almanac/contracts';
import { counter } from '@almanac/runtime';

/** A rollout takes minutes. A client that waits this long has a good chance to reach a newer process. */
const retryAfterS = 5;

/**
 * An event of a type, or with a state, that only a newer release knows. This process must neither decide nor acknowledge
 * anything about its entity. After the upgrade another process does.
 */
export class NewerEventError extends DomainError {
  constructor({ subject, seq, type }: { subject: string; seq: number; type: string }) {
    super('unavailable', 'The server is being upgraded. Try again in a few seconds.', {
      cause: new Error(`a newer release wrote the event ${type} at ${seq} of ${subject}`),
      more: { retry_after_s: retryAfterS },
    });
  }
}

const newerEvents = counter(
  'almanac_newer_events_total',
  'reads that met an event that only a newer release can read. Its entity cannot change here until the upgrade',
  ['stream'],
);

export const countNewerEvent = (stream: string): void => newerEvents.inc({ stream });
