import { ImportError } from '../errors.js';
import { copyText } from '../values/copy-text.js';
import { readTime, timeUnitOf } from '../values/time.js';
import type { HourlyBooks } from '../venues/venue.js';
import { textOf } from '../sources/record-fields.js';
import type { TableSource } from '../sources/tables/table.js';

export const hourUs = 3_600_000_000;

/** A time in which the whole file has no row although it should have many. */
export interface Silence {
  /** The last row before it, or the beginning of the hour. */
  readonly fromUs: number;
  /** The first row after it, or the end of the hour. */
  readonly toUs: number;
}

/** What all rows of an hour show together, before the first one is read. */
export interface ScannedHour {
  readonly rows: number;
  /** Rows are sorted by market and token, or as received. */
  readonly order: 'market' | 'time';
  /** By market: the token whose rows are read. The other one has the same book from its side. */
  readonly leading: ReadonlyMap<string, string>;
  readonly silences: readonly Silence[];
  /** The first and last receipt. 0 without rows. */
  readonly firstUs: number;
  readonly lastUs: number;
}

/** A silence that is shorter says nothing, and neither does one in which so many rows are not expected. */
const silenceUsMin = 10_000_000;
const rowsExpectedMin = 100;

const marketsMax = 200_000;
const secondsMax = 200_000;

/** Reads the places of all rows. Memory grows with the markets of the file, not with its rows. */
export const scanHour = async (
  name: string,
  { table, blocks }: TableSource,
  format: HourlyBooks,
  startUs: number | null,
): Promise<ScannedHour> => {
  const times = new Times();
  const tokens = new LeadingTokens();
  const received = receiptReader();
  const wanted = new Set(format.placeColumns(table.columns.map((column) => column.name)));
  let rows = 0;
  try {
    for await (const { records } of blocks(wanted))
      for (const { value } of records) {
        rows += 1;
        const row = format.read(value);
        const us = received(row.received);
        tokens.see(row, us ?? 0);
        if (us !== null) times.see(us);
      }
  } catch (error) {
    // Reading the rows fails at the same place, after those before it.
    if (!(error instanceof ImportError)) throw error;
  }
  const isInTime = times.isInOrder;
  if (!tokens.isSorted && !isInTime)
    throw new ImportError(
      `${name}: the rows are sorted neither by market nor by time. Sort them by market, token and time of receipt, for example with DuckDB: COPY (FROM 'x.parquet' ORDER BY ALL) TO 'y.parquet'`,
    );
  return {
    rows,
    order: tokens.isSorted ? 'market' : 'time',
    leading: tokens.leading(),
    silences: times.silences(rows, startUs),
    firstUs: times.firstUs,
    lastUs: times.lastUs,
  };
};

/** Reads receipts of one file: ISO texts of a column of times, or numbers, which have one unit. */
export const receiptReader = (): ((value: unknown) => number | null) => {
  let unit: ReturnType<typeof timeUnitOf> = null;
  return (value) => {
    const text = textOf(value);
    if (text === null) return null;
    unit ??= timeUnitOf(text, 'UTC');
    return unit === null ? null : readTime(text, unit, 'UTC');
  };
};

/** The first and last receipt of each second that has rows. */
class Times {
  isInOrder = true;
  firstUs = 0;
  lastUs = 0;
  private readonly seconds = new Map<number, { firstUs: number; lastUs: number }>();
  private beforeUs = 0;

  see(us: number): void {
    if (us < this.beforeUs) this.isInOrder = false;
    this.beforeUs = us;
    if (us > this.lastUs) this.lastUs = us;
    if (us < this.firstUs || this.firstUs === 0) this.firstUs = us;
    const second = Math.floor(us / 1_000_000);
    const known = this.seconds.get(second);
    if (known === undefined) {
      if (this.seconds.size < secondsMax) this.seconds.set(second, { firstUs: us, lastUs: us });
    } else if (us < known.firstUs) known.firstUs = us;
    else if (us > known.lastUs) known.lastUs = us;
  }

  /** Rows come at the mean rate of the minutes that have some. `startUs`: the hour of the file, if it is one. */
  silences(rows: number, startUs: number | null): readonly Silence[] {
    if (this.seconds.size === 0 || this.seconds.size >= secondsMax) return [];
    const inOrder = Array.from(this.seconds.values()).toSorted((a, b) => a.firstUs - b.firstUs);
    const minutes = new Set(Array.from(this.seconds.keys(), (second) => Math.floor(second / 60)));
    const rowsPerUs = rows / (minutes.size * 60_000_000);
    const isLoss = (fromUs: number, toUs: number): boolean =>
      toUs - fromUs >= silenceUsMin && (toUs - fromUs) * rowsPerUs >= rowsExpectedMin;
    const found: Silence[] = [];
    const { firstUs } = this;
    const isOneHour = startUs !== null && firstUs >= startUs && this.lastUs < startUs + hourUs;
    if (isOneHour && isLoss(startUs, firstUs)) found.push({ fromUs: startUs, toUs: firstUs });
    let beforeUs = firstUs;
    for (const second of inOrder) {
      if (isLoss(beforeUs, second.firstUs)) found.push({ fromUs: beforeUs, toUs: second.firstUs });
      beforeUs = second.lastUs;
    }
    if (isOneHour && isLoss(beforeUs, startUs + hourUs)) found.push({ fromUs: beforeUs, toUs: startUs + hourUs });
    return found;
  }
}

interface LeadingToken {
  token: string;
  /** Its first whole book. Infinity without one. */
  bookUs: number;
  hasRows: boolean;
}

/** The token whose book came first leads. Without any book, the first token with changes does. */
class LeadingTokens {
  isSorted = true;
  private readonly markets = new Map<string, LeadingToken>();
  private market = '';
  private found: LeadingToken | undefined;

  see({ market, token, isBook, isChange }: ReturnType<HourlyBooks['read']>, us: number): void {
    if (market !== this.market || this.found === undefined) this.next(market, token);
    const { found } = this;
    if (found === undefined || !(isBook || isChange)) return;
    const bookUs = isBook ? us : Infinity;
    if (found.hasRows && bookUs >= found.bookUs) return;
    if (found.token !== token) found.token = copyText(token);
    found.bookUs = bookUs;
    found.hasRows = true;
  }

  leading(): ReadonlyMap<string, string> {
    return new Map(Array.from(this.markets, ([market, { token }]) => [market, token]));
  }

  private next(market: string, token: string): void {
    this.market = copyText(market);
    this.found = this.markets.get(market);
    if (this.found) this.isSorted = false;
    else if (this.markets.size < marketsMax) {
      this.found = { token: copyText(token), bookUs: Infinity, hasRows: false };
      this.markets.set(this.market, this.found);
    }
  }
}
