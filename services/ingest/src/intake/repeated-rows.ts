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

interface RowLimits {
  readonly key?: RowKey;
  readonly markets?: number;
  readonly lookups?: number;
}

/** How the rows of a market are identified: by a time, or by a digest, of which the next one may be any. */
export type RowKey = 'time' | 'digest';

/**
 * Most recordings are in time order, so comparing a row with the latest row of its market decides it. An earlier row is
 * looked up in a log of all rows, many in one pass. A digest is looked up if one like it was seen. `folder` is for the log of a
 * large import.
 */
export const repeatedRows = (
  folder: string,
  { key = 'time', markets: limit = marketsMax, lookups = lookupsMax }: RowLimits = {},
): RepeatedRows => {
  const log = rowLog(folder);
  const marketOf = seenMarkets(limit);
  const digests = key === 'digest' ? new SeenDigests() : null;
  let waiting: number[] = [];
  let counts = noRows();

  const lookUp = (): void => {
    if (waiting.length === 0) return;
    const found = lookedUp(waiting, log);
    addRows(counts, found);
    waiting = [];
  };
  const wait = (market: SeenRows, us: number, values: number): void => {
    waiting.push(market.key, us, values);
    if (waiting.length >= lookups * 3) lookUp();
  };
  const addRow = (market: SeenRows, us: number, values: number): void => {
    if (digests) {
      if (digests.maySee(market.key, us)) return wait(market, us, values);
      counts.stored += 1;
      log.add(market.key, us, values);
      return;
    }
    if (us < market.maxUs) return wait(market, us, values);
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

/** 16 MB. With 10 million rows, one of 125 is looked up although it is new, and with 40 million one of 5. */
const filterWords = 2 ** 22;
const bitsOfRow = 3;

/** A Bloom filter: what it has not seen is new. */
class SeenDigests {
  private words: Int32Array | null = null;

  /** Whether the row may have been seen before. From now on, it has. */
  maySee(market: number, digest: number): boolean {
    const words = (this.words ??= new Int32Array(filterWords));
    const low = Math.imul((digest | 0) ^ (market | 0), 0x85ebca6b);
    const high = Math.imul((digest / 0x20_0000) | 0, 0x27d4eb2f) ^ ((market / 0x20_0000) | 0);
    const step = (high ^ (high >>> 15)) | 1;
    let isSeen = true;
    for (let bit = 0, at = low ^ (low >>> 13); bit < bitsOfRow; bit += 1, at = (at + step) | 0) {
      const [word, mask] = [(at >>> 5) & (filterWords - 1), 1 << (at & 31)];
      if (((words[word] ?? 0) & mask) === 0) {
        isSeen = false;
        words[word] = (words[word] ?? 0) | mask;
      }
    }
    return isSeen;
  }
}

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
