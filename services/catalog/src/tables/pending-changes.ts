import type { StreamPosition } from '@almanac/bus';

/** What can be queried now and could not before. */
export interface ReadableChange {
  readonly all: boolean;
  /** The series of changed markets. An empty text stands for markets without a series. */
  readonly series: ReadonlySet<string>;
  readonly events: boolean;
}

/** Changes that were received and cannot be queried yet. */
export type PendingChanges = ReturnType<typeof pendingChanges>;

/** A market of a series, an event, names without effect on figures, or anything. */
export type ChangeKind = { readonly series: string } | 'event' | 'names' | 'anything';

const keyOf = (what: ChangeKind): string => (typeof what === 'string' ? what : `${ofSeries}${what.series}`);
const ofSeries = 'series ';

/** Pending changes of a stream, whose partitions become readable independently. */
export const pendingChanges = (partitions = 1) => {
  const parts = Array.from({ length: partitions }, inPartition);
  return {
    get isEmpty() {
      return parts.every(({ isEmpty }) => isEmpty);
    },
    add: (what: ChangeKind, seq: number): void => parts[seq % partitions]?.add(what, seq),
    /** Changes that can be queried because everything up to the position can. Undefined: none. */
    readableUpTo: (position: StreamPosition): ReadableChange | undefined => {
      const found = parts.flatMap((part, partition) => part.readableUpTo(position[partition] ?? 0) ?? []);
      if (found.length <= 1) return found[0];
      return {
        all: found.some(({ all }) => all),
        series: new Set(found.flatMap(({ series }) => [...series])),
        events: found.some(({ events }) => events),
      };
    },
  };
};

/** Stores the first and the last change of each kind, so that a constantly changing one is reported regularly. */
const inPartition = () => {
  const changes = new Map<string, { first: number; last: number }>();
  return {
    get isEmpty() {
      return changes.size === 0;
    },
    add: (what: ChangeKind, seq: number) => {
      const key = keyOf(what);
      const known = changes.get(key);
      if (known === undefined) changes.set(key, { first: seq, last: seq });
      else known.last = seq;
    },
    /** Changes that can be queried because everything up to `seq` can. Undefined: none. */
    readableUpTo: (seq: number): ReadableChange | undefined => {
      const readable = [...changes].filter(([, { first }]) => first <= seq);
      if (readable.length === 0) return undefined;
      for (const [key, { last }] of readable) {
        if (last <= seq) changes.delete(key);
        else changes.set(key, { first: seq + 1, last });
      }
      const keys = readable.map(([key]) => key);
      return {
        all: keys.includes('anything'),
        series: new Set(keys.filter((key) => key.startsWith(ofSeries)).map((key) => key.slice(ofSeries.length))),
        events: keys.includes('event'),
      };
    },
  };
};
