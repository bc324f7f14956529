/** The position of a message in its feed. `sid` and `seq` are null if the venue has none. */
export interface Placed {
  readonly us: number;
  readonly sid: number | null;
  readonly seq: number | null;
}

export interface Subscriptions {
  /**
   * Whether a message follows the last one of its subscription. Without a sequence every message does. A number that
   * comes again later, with other content, belongs to a new subscription whose beginning is missing.
   */
  place(placed: Placed): 'next' | 'jump' | 'repeated' | 'restarted';
  recordMessage(placed: Placed): void;
  /** The last numbered message of a subscription. */
  lastOf(sid: number | null): Placed | null;
  /**
   * The time up to which a subscription is known to be complete: of its last message with a sequence number, or of its
   * last message if the venue numbers none. 0 before the first.
   */
  completeUntilUs(sid: number | null): number;
  belongs(sid: number | null, ticker: string): void;
  tickersOf(sid: number | null): Iterable<string>;
  /** Restarts the sequence of a subscription, or of all if null. */
  remove(sid: number | null): void;
}

/** `seq` counts by one within a subscription, over all its markets together. */
export const subscriptions = (): Subscriptions => {
  const known = new Map<number | null, { last: Placed | null; us: number; readonly tickers: Set<string> }>();
  const of = (sid: number | null) => {
    let one = known.get(sid);
    if (!one) known.set(sid, (one = { last: null, us: 0, tickers: new Set() }));
    return one;
  };
  return {
    place: (placed) => {
      const { us, sid, seq } = placed;
      const { last = null, us: lastUs = 0 } = known.get(sid) ?? {};
      if (seq === null || last === null || last.seq === null || seq === last.seq + 1) return 'next';
      if (seq > last.seq) return 'jump';
      return us <= lastUs || isSame(placed, last) ? 'repeated' : 'restarted';
    },
    recordMessage: (placed) => {
      const one = of(placed.sid);
      if (placed.seq === null && one.last !== null) return;
      one.us = placed.us;
      if (placed.seq !== null) one.last = placed;
    },
    lastOf: (sid) => known.get(sid)?.last ?? null,
    completeUntilUs: (sid) => known.get(sid)?.us ?? 0,
    belongs: (sid, ticker) => void of(sid).tickers.add(ticker),
    tickersOf: (sid) => known.get(sid)?.tickers ?? [],
    remove: (sid) => {
      if (sid === null) known.clear();
      else known.delete(sid);
    },
  };
};

/** Whether a message was received twice. */
const isSame = (a: Placed, b: Placed): boolean => contentOf(a) === contentOf(b);
const contentOf = (placed: Placed): string => JSON.stringify({ ...placed, us: 0, line: 0 });
