import { DomainError } from '@almanac/contracts';
import { busy, type HeldSlots, type ReadCaller } from '@almanac/runtime';

/** Long streams of one account at this process, so that no account takes all. */
const accountStreamsMax = 2;

/** The open streams of accounts. Throws `unavailable` beyond the most of one. */
export const openStreams = () => {
  const open = new Map<string, number>();
  const add = (account: string, more: 1 | -1): void => {
    const count = (open.get(account) ?? 0) + more;
    if (count === 0) open.delete(account);
    else open.set(account, count);
  };
  return {
    /** Returns the function that ends the stream. It may be called repeatedly. */
    enter: (account: string): (() => void) => {
      if ((open.get(account) ?? 0) >= accountStreamsMax) throw tooManyStreams();
      add(account, 1);
      let isOpen = true;
      return () => {
        if (isOpen) add(account, -1);
        isOpen = false;
      };
    },
  };
};

const tooManyStreams = (): DomainError =>
  new DomainError(
    'unavailable',
    `Your account already has ${accountStreamsMax} bulk reads open. Try again when one of them has ended.`,
  );

export interface Place {
  /** The reader took a chunk. */
  taken(): void;
  /** May be called repeatedly. */
  leave(): void;
}

/** Streams that hold one query until their reader has all. */
export interface HeldStreams {
  /** Whether a stream that comes now would get a place. */
  readonly hasPlace: boolean;
  /**
   * Waits for a slot. If all places are taken, the slowest stream gives way, and `giveWay` ends it. Throws `unavailable` if
   * none is slow.
   */
  enter(caller: ReadCaller, giveWay: () => void): Promise<Place>;
}

/** A stream gives way if its reader took fewer chunks in this time. They have 512 KiB, so this is 157 KB/s. */
export const slowAfterMs = 10_000;
const chunksMin = 3;

interface HeldStream {
  /** Ends its query and frees its slot. Its reader, who learns of it with the next chunk, may take none for minutes. */
  giveWay: () => void;
  /** When it began, and when its last chunks were taken. */
  times: readonly number[];
}

/** Half of the slots stay free for streams that are read in parts. */
export const heldStreams = (slots: HeldSlots, atOnce: number): HeldStreams => {
  const placesMax = Math.max(1, Math.floor(atOnce / 2));
  const open = new Set<HeldStream>();
  const requirePlace = (): void => {
    if (open.size < placesMax) return;
    const slowest = slowestOf(open, performance.now());
    if (slowest === undefined) throw noPlace();
    open.delete(slowest);
    slowest.giveWay();
  };
  return {
    get hasPlace() {
      return open.size < placesMax || slowestOf(open, performance.now()) !== undefined;
    },
    enter: async (caller, giveWay) => {
      requirePlace();
      const stream: HeldStream = { giveWay, times: [performance.now()] };
      open.add(stream);
      try {
        const release = await slots.acquire(caller);
        stream.giveWay = () => {
          giveWay();
          release();
        };
        return {
          taken: () => void (stream.times = [...stream.times, performance.now()].slice(-chunksMin)),
          leave: () => {
            open.delete(stream);
            release();
          },
        };
      } catch (error) {
        open.delete(stream);
        throw error;
      }
    },
  };
};

export const noPlace = (): DomainError => busy(new Error('all places of held streams are taken'));

/** Of those that are slow, the one whose reader waited longest. */
const slowestOf = (open: ReadonlySet<HeldStream>, nowMs: number): HeldStream | undefined => {
  const firstOf = ({ times }: HeldStream): number => times[0] ?? nowMs;
  const [slowest] = [...open].toSorted((one, other) => firstOf(one) - firstOf(other));
  return slowest !== undefined && nowMs - firstOf(slowest) > slowAfterMs ? slowest : undefined;
};

/** What the reader of such a stream gets instead of the rest. */
export const slowReader = (): DomainError =>
  new DomainError(
    'unavailable',
    'This bulk read ended, because it was read too slowly while others waited. Read a shorter window, CSV or JSON lines of snapshots, or an export.',
  );
