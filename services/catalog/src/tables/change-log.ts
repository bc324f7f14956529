import {
  acknowledgedPosition,
  type Bus,
  durables,
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
  // The server stores times with nanoseconds, and its client reads milliseconds.
  positionBefore: (us) =>
    Promise.all(partitionsOf(bus, stream).map((partition) => sequenceBefore(bus, partition, Math.floor(us / 1_000)))),
});

const sequenceBefore = async (bus: Bus, partition: number, ms: number): Promise<number> => {
  const { first_seq, last_seq } = await streamState(bus, stream, partition);
  let [low, high] = [first_seq, last_seq + 1];
  // The times of a stream's messages never decrease. So 2 M changes take 21 reads.
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const message = await nextMessage(bus, stream, { subject: patterns.allOf(stream), seq: middle, partition });
    if (message === null || message.time.getTime() >= ms) high = middle;
    else low = message.seq + 1;
  }
  return Math.max(0, low - 1);
};
