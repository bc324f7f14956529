/** The position of a message in its feed. `sid` and `seq` are null if the venue has none. */
export interface Placed {
  readonly us: number;
  readonly sid: number | null;
  readonly seq: number | null;
}

export interface Subscriptions {
  /** Whether a message follows the last one of its subscription. Without a sequence every message does. */
  place(placed: Placed): 'next' | 'jump' | 'repeated';
  recordMessage(placed: Placed): void;
  lastMessageUs(sid: number | null): number;
  belongs(sid: number | null, ticker: string): void;
  tickersOf(sid: number | null): Iterable<string>;
  /** Restarts the sequence of a subscription, or of all if null. */
  remove(sid: number | null): void;
}

/** `seq` counts by one within a subscription, over all its markets together. */
export const subscriptions = (): Subscriptions => {
  const known = new Map<number | null, { seq: number | null; us: number; readonly tickers: Set<string> }>();
  const of = (sid: number | null) => {
    let one = known.get(sid);
    if (!one) known.set(sid, (one = { seq: null, us: 0, tickers: new Set() }));
    return one;
  };
  return {
    place: ({ sid, seq }) => {
      const last = known.get(sid)?.seq ?? null;
      if (seq === null || last === null || seq === last + 1) return 'next';
      return seq > last ? 'jump' : 'repeated';
    },
    recordMessage: ({ us, sid, seq }) => {
      const one = of(sid);
      one.us = us;
      if (seq !== null) one.seq = seq;
    },
    lastMessageUs: (sid) => known.get(sid)?.us ?? 0,
    belongs: (sid, ticker) => void of(sid).tickers.add(ticker),
    tickersOf: (sid) => known.get(sid)?.tickers ?? [],
    remove: (sid) => {
      if (sid === null) known.clear();
      else known.delete(sid);
    },
  };
};
