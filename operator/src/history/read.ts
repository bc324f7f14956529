import {
  type AdminBus,
  type EventMessage,
  patterns,
  readSubjects,
  type ReadSubjectsOptions,
  subjects,
  unlessMissing,
} from '@almanac/bus';
import type { StreamName } from '@almanac/contracts';

/** All events of an account in time order, read from the streams with constant memory. */
export const readHistory = (
  bus: AdminBus,
  account: string,
  onUnreadable: (seq: number, stream: StreamName) => void,
): AsyncGenerator<EventMessage> => {
  const read = (stream: StreamName, filter: string) =>
    readIfExists(bus, { stream, filter, onUnreadable: (_error, { seq }) => onUnreadable(seq, stream) });
  // Two reads, because an old server accepts only one pattern per consumer.
  const commerce = merged(
    read('EVT_COMMERCE', subjects.account(account)),
    read('EVT_COMMERCE', patterns.subjectsOfAccount(account)),
    bySequence,
  );
  const others = merged(
    merged(read('EVT_KEYS', subjects.keyring(account)), read('EVT_WEBHOOK', subjects.webhooks(account)), byTime),
    read('EVT_EXPORT', patterns.exportsOf(account)),
    byTime,
  );
  return merged(commerce, others, byTime);
};

/** A service makes its stream when it first starts, which may be after an upgrade of the commands. */
async function* readIfExists(bus: AdminBus, options: ReadSubjectsOptions): AsyncGenerator<EventMessage> {
  if ((await unlessMissing(bus.jsm.streams.info(options.stream))) !== undefined) yield* readSubjects(bus, options);
}

type Order = (one: EventMessage, other: EventMessage) => number;
const bySequence: Order = (one, other) => one.seq - other.seq;
const byTime: Order = (one, other) => one.event.time - other.event.time;

/** Merges two ordered sources. Of equal events the first source's comes first. */
async function* merged(
  one: AsyncGenerator<EventMessage>,
  other: AsyncGenerator<EventMessage>,
  order: Order,
): AsyncGenerator<EventMessage> {
  try {
    let [left, right] = await Promise.all([one.next(), other.next()]);
    while (!left.done || !right.done) {
      if (right.done || (!left.done && order(left.value, right.value) <= 0)) {
        yield left.value;
        left = await one.next();
      } else {
        yield right.value;
        right = await other.next();
      }
    }
  } finally {
    await Promise.all([one.return(undefined), other.return(undefined)]);
  }
}
