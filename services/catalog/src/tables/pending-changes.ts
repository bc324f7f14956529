/** What can be queried as it is now, and could not before. */
export interface ReadableChange {
  /** Anything may have changed. */
  readonly all: boolean;
  /** The series of markets that changed; an empty text is that of markets without one. */
  readonly series: ReadonlySet<string>;
  readonly events: boolean;
}

/** Changes that were heard and cannot be queried yet. */
export interface PendingChanges {
  readonly isEmpty: boolean;
  add(what: ChangeKind, seq: number): void;
  /** What of it can be queried since everything up to `seq` can; undefined: nothing. */
  readableUpTo(seq: number): ReadableChange | undefined;
}

/** A market of a series, an event, names alone, of which nothing is counted, or anything. */
export type ChangeKind = { readonly series: string } | 'event' | 'names' | 'anything';

const keyOf = (what: ChangeKind): string => (typeof what === 'string' ? what : `${ofSeries}${what.series}`);
const ofSeries = 'series ';

/** Of each thing the first and the last change are kept: one that changes all the time is told of all the time. */
export const pendingChanges = (): PendingChanges => {
  const changes = new Map<string, { first: number; last: number }>();
  return {
    get isEmpty() {
      return changes.size === 0;
    },
    add: (what, seq) => {
      const key = keyOf(what);
      const known = changes.get(key);
      if (known === undefined) changes.set(key, { first: seq, last: seq });
      else known.last = seq;
    },
    readableUpTo: (seq) => {
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
