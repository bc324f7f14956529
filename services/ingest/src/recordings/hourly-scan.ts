import { ImportError } from '../errors.js';
import { copyText } from '../values/copy-text.js';
import { readTime, timeUnitOf } from '../values/time.js';
import { emptyCell, unreadCell } from '../sources/cells.js';
import type { HourlyBooks, HourlyCells, HourlyRow } from '../venues/venue.js';
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
    for await (const block of blocks(wanted)) {
      const cells = block.byColumn && format.cells?.(block.byColumn);
      rows += cells?.count ?? block.records.length;
      if (cells && isPlain(cells)) seeCells(cells, tokens, times);
      else
        for (const { value } of block.records) {
          const row = format.read(value);
          const us = received(row.received);
          tokens.see(row, us ?? 0);
          if (us !== null) times.see(us);
        }
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

const isPlain = ({ received }: HourlyCells): boolean => !received.includes(unreadCell);

/** As `see` of each row. Neighbouring changes of one token say nothing new but their times. */
const seeCells = (cells: HourlyCells, tokens: LeadingTokens, times: Times): void => {
  const { count, received, change } = cells;
  let [market, token]: [unknown, unknown] = [null, null];
  for (let row = 0; row < count; row += 1) {
    const us = received[row] ?? emptyCell;
    if (us !== emptyCell) times.see(us);
    const kind = cells.kind(row);
    const isKnown = kind === change && cells.token(row) === token && cells.market(row) === market;
    if (isKnown) continue;
    [market, token] = [cells.market(row), cells.token(row)];
    const place = { market: textOf(market) ?? '', token: textOf(token) ?? '' };
    tokens.see({ ...place, isBook: kind === cells.book, isChange: kind === change }, us === emptyCell ? 0 : us);
    // Only a change makes later ones of its token known.
    if (kind !== change) market = null;
  }
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
  private last = { second: -1, times: { firstUs: 0, lastUs: 0 } };
  private beforeUs = 0;

  see(us: number): void {
    if (us < this.beforeUs) this.isInOrder = false;
    this.beforeUs = us;
    if (us > this.lastUs) this.lastUs = us;
    if (us < this.firstUs || this.firstUs === 0) this.firstUs = us;
    const second = Math.floor(us / 1_000_000);
    const known = second === this.last.second ? this.last.times : this.seconds.get(second);
    if (known) this.last = second === this.last.second ? this.last : { second, times: known };
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

  see({ market, token, isBook, isChange }: Omit<HourlyRow, 'received' | 'sent' | 'message'>, us: number): void {
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
