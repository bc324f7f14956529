import {
  acknowledgedPosition,
  type Bus,
  durables,
  isCopied,
  nextMessage,
  partitionsOf,
  patterns,
  streamState,
  type StreamPosition,
} from '@almanac/bus';

const stream = 'EVT_CATALOG';

/** The catalogue's stream as the order of all changes. Changes of different partitions have no order. */
export interface ChangeLog {
  /** The tables contain every change up to this position. */
  readonly readableUpTo: () => Promise<StreamPosition>;
  /** Every change at or after the time is after this position. */
  readonly positionBefore: (us: number) => Promise<StreamPosition>;
}

/** Throws `unavailable` while NATS does not answer. */
export const changeLog = (bus: Bus): ChangeLog => ({
  readableUpTo: () => acknowledgedPosition(bus, stream, durables.catalogReadModel),
  positionBefore: async (us) => {
    // The server stores times with nanoseconds, and its client reads milliseconds.
    const ms = Math.floor(us / 1_000);
    const changes = await Promise.all(partitionsOf(bus, stream).map((partition) => firstChange(bus, partition, ms)));
    // The rows of copied events have sequences of the stream before the move, which are lower than all of its partitions.
    return changes.map(({ before }) => (changes.some(({ copied }) => copied) ? 0 : before));
  },
});

interface FirstChange {
  /** Every earlier change of the partition has at most this sequence. */
  readonly before: number;
  readonly copied: boolean;
}

/** The first change of a partition at or after a time. */
const firstChange = async (bus: Bus, partition: number, ms: number): Promise<FirstChange> => {
  const { first_seq, last_seq } = await streamState(bus, stream, partition);
  let [low, high, copied] = [first_seq, last_seq + 1, false];
  // The times of a stream's messages never decrease. So 2 M changes take 21 reads.
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const message = await nextMessage(bus, stream, { subject: patterns.allOf(stream), seq: middle, partition });
    if (message !== null && message.time.getTime() < ms) low = message.seq + 1;
    else {
      high = middle;
      copied = message !== null && isCopied(message);
    }
  }
  return { before: Math.max(0, low - 1), copied };
};
