import { Reply } from '@almanac/bus';

/** Who waits for an answer; `signal` is made when it is first asked for. */
export interface Waiting {
  readonly signal: AbortSignal;
}

/** An answer as it is the first time, and as it is when it is given again. */
export interface Made {
  readonly first: object;
  readonly again: object;
}

export interface KeptAnswers {
  /** The answer kept under a key, else the one that is being made, else a new one. */
  get(key: string, waiting: Waiting, make: (signal: AbortSignal) => Promise<Made>): Reply | Promise<Reply>;
  /** Something may be different now: nothing that was begun before is given again. */
  forget(): void;
}

interface Flight {
  readonly reply: Promise<Reply>;
  readonly leaving: AbortController;
  waiting: number;
}

interface Kept {
  readonly reply: Reply;
  readonly until: number;
}

/**
 * Answers to equal questions. Those that are asked at once share one making, which ends when nobody waits for it any
 * more; one that was made is given again for `keptMs`, as ready bytes, unless something changed. All that is kept has at
 * most `bytesMax` bytes; the oldest goes first.
 */
export const keptAnswers = ({ keptMs, bytesMax }: { keptMs: number; bytesMax: number }): KeptAnswers => {
  const kept = new Map<string, Kept>();
  const flights = new Map<string, Flight>();
  let bytes = 0;

  const remove = (key: string): void => {
    bytes -= sizeOf(key, kept.get(key)?.reply);
    kept.delete(key);
  };

  const keep = (key: string, reply: Reply): void => {
    if (kept.has(key)) remove(key);
    bytes += sizeOf(key, reply);
    kept.set(key, { reply, until: performance.now() + keptMs });
    for (const [oldest, { until }] of kept) {
      if (bytes <= bytesMax && until > performance.now()) break;
      remove(oldest);
    }
  };

  const depart = (key: string, make: (signal: AbortSignal) => Promise<Made>): Flight => {
    const leaving = new AbortController();
    const land = async (): Promise<Reply> => {
      try {
        const { first, again } = await make(leaving.signal);
        if (flights.get(key) === flight) keep(key, ofNow(again));
        return ofNow(first);
      } finally {
        if (flights.get(key) === flight) flights.delete(key);
      }
    };
    const flight: Flight = { leaving, waiting: 0, reply: Promise.resolve().then(land) };
    flights.set(key, flight);
    return flight;
  };

  const join = (key: string, flight: Flight, { signal }: Waiting): Promise<Reply> => {
    flight.waiting += 1;
    const leave = (): void => {
      flight.waiting -= 1;
      if (flight.waiting > 0) return;
      if (flights.get(key) === flight) flights.delete(key);
      flight.leaving.abort(signal.reason);
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    return flight.reply.finally(() => signal.removeEventListener('abort', leave));
  };

  return {
    get: (key, waiting, make) => {
      const ready = kept.get(key);
      if (ready !== undefined && ready.until > performance.now()) return ready.reply;
      return join(key, flights.get(key) ?? depart(key, make), waiting);
    },
    forget: () => {
      kept.clear();
      bytes = 0;
      flights.clear();
    },
  };
};

/** Statuses and figures change with the clock, so such an answer is kept by nobody else. */
const ofNow = (value: object): Reply => Reply.json(value, { cacheable: false });

/** With what a map holds beside. */
const sizeOf = (key: string, reply: Reply | undefined): number =>
  reply === undefined ? 0 : reply.bytes.length + 2 * key.length + 200;
