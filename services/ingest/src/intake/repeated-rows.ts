import type { ObservationBatch } from '../archive.js';
import { bytesDigest } from '../values/bytes-digest.js';
import { rowLog } from './row-log.js';

/** Stored rows by what the import had stored before. A market and time has one row in the archive: the last one. */
export interface RowCounts {
  /** The first row of its market and time in this import. */
  stored: number;
  /** An earlier row of this import had the same market, time and values. */
  equal: number;
  /** An earlier row of this import had the same market and time, and other values. This row replaced it. */
  different: number;
}

/** Counts repeated rows of one import, across its files, exactly and with bounded memory. */
export interface RepeatedRows {
  /** Counts the rows of a batch after it was stored. Batches of one market and time come in the order they were stored. */
  add(batch: Pick<ObservationBatch, 'rows' | 'markets' | 'keys'>): void;
  /** The counts since the last call. */
  take(): RowCounts;
  close(): void;
}

export const storedKinds = ['observations', 'trades', 'candles', 'coins'] as const;
export type StoredKind = (typeof storedKinds)[number];
export type RepeatedByKind = Readonly<Record<StoredKind, RepeatedRows>>;

interface SeenRows {
  /** A digest of the ticker. */
  readonly key: number;
  /** The latest row. Infinity: the market was forgotten, so each row is looked up. */
  maxUs: number;
  values: number;
}

/** Markets in memory. The rows of a forgotten market are looked up in the log. */
const marketsMax = 50_000;
/** Rows that are looked up together: one pass over the log for up to this many (11 MB). */
const lookupsMax = 262_144;

/**
 * Most recordings are in time order, so comparing a row with the latest row of its market decides it. An earlier row is
 * looked up in a log of all rows, many in one pass. `folder` is for the log of a large import.
 */
export const repeatedRows = (
  folder: string,
  { markets: limit = marketsMax, lookups = lookupsMax } = {},
): RepeatedRows => {
  const log = rowLog(folder);
  const marketOf = seenMarkets(limit);
  let waiting: number[] = [];
  let counts = noRows();

  const lookUp = (): void => {
    if (waiting.length === 0) return;
    const found = lookedUp(waiting, log);
    addRows(counts, found);
    waiting = [];
  };
  const addRow = (market: SeenRows, us: number, values: number): void => {
    if (us < market.maxUs) {
      waiting.push(market.key, us, values);
      if (waiting.length >= lookups * 3) lookUp();
      return;
    }
    if (us > market.maxUs) counts.stored += 1;
    else if (values === market.values) counts.equal += 1;
    else counts.different += 1;
    market.maxUs = us;
    market.values = values;
    log.add(market.key, us, values);
  };

  return {
    add: ({ rows, markets: named, keys }) => {
      const seen = named.map(({ ticker }) => marketOf(ticker));
      for (let row = 0; row < rows; row += 1) {
        const market = seen[keys.market[row] ?? -1];
        if (!market) throw new Error(`row ${row} of a batch has no key`);
        addRow(market, keys.us[row] ?? NaN, keys.values[row] ?? NaN);
      }
    },
    take: () => {
      lookUp();
      const taken = counts;
      counts = noRows();
      return taken;
    },
    close: () => log.close(),
  };
};

/** The markets seen last. One that was forgotten comes back with a maximum of Infinity. */
const seenMarkets = (limit: number): ((ticker: string) => SeenRows) => {
  const markets = new Map<string, SeenRows>();
  let hasForgotten = false;
  return (ticker) => {
    const known = markets.get(ticker);
    if (known) return known;
    const [oldest] = markets.size >= limit ? markets.keys() : [];
    if (oldest !== undefined) {
      hasForgotten = true;
      markets.delete(oldest);
    }
    const bytes = Buffer.from(ticker);
    const market = { key: bytesDigest(bytes, 0, bytes.length), maxUs: hasForgotten ? Infinity : -1, values: 0 };
    markets.set(ticker, market);
    return market;
  };
};

export const addRows = (sum: RowCounts, { stored, equal, different }: RowCounts): void => {
  sum.stored += stored;
  sum.equal += equal;
  sum.different += different;
};

const noRows = (): RowCounts => ({ stored: 0, equal: 0, different: 0 });

/** Decides rows (market, time and values, three numbers each) by the log, and adds them to it. */
const lookedUp = (rows: readonly number[], log: ReturnType<typeof rowLog>): RowCounts => {
  const last = new Map<number, Map<number, number>>();
  let fromUs = Infinity;
  let toUs = -Infinity;
  const eachRow = (visit: (market: number, us: number, values: number) => void): void => {
    for (let at = 0; at < rows.length; at += 3) visit(rows[at] ?? NaN, rows[at + 1] ?? NaN, rows[at + 2] ?? NaN);
  };
  eachRow((market, us) => {
    const times = last.get(market) ?? new Map<number, number>();
    if (times.size === 0) last.set(market, times);
    times.set(us, NaN);
    fromUs = Math.min(fromUs, us);
    toUs = Math.max(toUs, us);
  });
  log.scan(fromUs, toUs, (market, us, values) => {
    const times = last.get(market);
    if (times?.has(us) === true) times.set(us, values);
  });
  const counts = noRows();
  eachRow((market, us, values) => {
    const before = last.get(market)?.get(us) ?? NaN;
    if (Number.isNaN(before)) counts.stored += 1;
    else if (before === values) counts.equal += 1;
    else counts.different += 1;
    last.get(market)?.set(us, values);
    log.add(market, us, values);
  });
  return counts;
};
