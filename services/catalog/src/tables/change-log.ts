import { acknowledgedUpTo, type Bus, durables, nextMessage, patterns, streamState } from '@almanac/bus';

const stream = 'EVT_CATALOG';

/** The catalogue's stream as the order of all changes. */
export interface ChangeLog {
  /** The tables contain every change up to this sequence. */
  readonly readableUpTo: () => Promise<number>;
  /** Every change at or after the time has a later sequence. */
  readonly sequenceBefore: (us: number) => Promise<number>;
}

/** Throws `unavailable` while NATS does not answer. */
export const changeLog = (bus: Bus): ChangeLog => ({
  readableUpTo: () => acknowledgedUpTo(bus, stream, durables.catalogReadModel),
  sequenceBefore: async (us) => {
    // The server stores times with nanoseconds, and its client reads milliseconds.
    const ms = Math.floor(us / 1_000);
    const { first_seq, last_seq } = await streamState(bus, stream);
    let [low, high] = [first_seq, last_seq + 1];
    // The times of a stream's messages never decrease. So 2 M changes take 21 reads.
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const message = await nextMessage(bus, stream, { subject: patterns.allOf(stream), seq: middle });
      if (message === null || message.time.getTime() >= ms) high = middle;
      else low = message.seq + 1;
    }
    return low - 1;
  },
});
