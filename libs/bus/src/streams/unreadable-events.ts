import type { StreamName } from '@almanac/contracts';
import { counter } from '@almanac/runtime';
import { type Bus, isWrongSequence } from '../bus.js';
import { deadLetterHeaders } from './dead-letters.js';
import { subjects } from '../names.js';
import { NewerEventError, noteNewerEvent } from './newer-event.js';
import { publishStored } from './storage-capacity.js';

const unreadable = counter(
  'almanac_unreadable_events_total',
  'messages of event streams that are no event, once per process: stored (as a dead letter), known (as one already) or failed (could not be stored)',
  ['stream', 'outcome'],
);

const reported = new WeakMap<Bus, Set<string>>();
/** Limits the memory. A message that is reported again is not stored again. */
const reportedMax = 10_000;

/**
 * Stores a dead letter about a message that is no event, once for all processes: the subject is new for each message,
 * and the append expects that it has no message. It does not delay the reader. After a failure, the next read of
 * the message tries again. The letter has no copy of the message, which stays in its stream. An event of a newer release
 * is only counted and noted.
 */
export const reportUnreadable = (
  bus: Bus,
  stream: StreamName,
  message: { subject: string; seq: number },
  error: unknown,
): void => {
  if (error instanceof NewerEventError) return noteNewerEvent(bus, stream, error);
  const subject = subjects.unreadable(stream, message.seq);
  const seen = reported.get(bus) ?? new Set<string>();
  if (seen.has(subject)) return;
  if (seen.size >= reportedMax) seen.clear();
  reported.set(bus, seen.add(subject));
  const options = { headers: deadLetterHeaders(message, error), expect: { lastSubjectSequence: 0 } };
  publishStored(bus, subject, { data: new Uint8Array(), options }).then(
    () => unreadable.inc({ stream, outcome: 'stored' }),
    (cause: unknown) => {
      const isKnown = isWrongSequence(cause);
      if (!isKnown) seen.delete(subject);
      unreadable.inc({ stream, outcome: isKnown ? 'known' : 'failed' });
    },
  );
};
