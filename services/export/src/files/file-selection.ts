import { marketsAsOf, rowsInWindow, rowsKnown, wasOpen } from '@almanac/clickhouse';
import { asOfMicros, type ExportQuery } from '@almanac/contracts';
import { windowOf } from './target.js';
import type { RowConditions } from './row-columns.js';

/** An export query, for a day or a range with the markets that it had at the request. */
export type FileQuery = ExportQuery & { readonly markets?: readonly string[] };

export interface Selection extends RowConditions {
  /** A condition on `markets FINAL`. */
  readonly markets: string;
  /** The same condition for any table with a ticker. */
  readonly tickers: string;
  /** On `snapshots`, as of a time: the row had been received. */
  readonly received?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * The rows of an export query. A day pack has the rows of that day and the markets of the series that were open or have
 * rows then. The purchase covers exactly the events of these markets, so a market that is listed later is not included.
 */
export const selectionOf = (exportQuery: FileQuery): Selection => {
  const selection = everythingOf(exportQuery);
  const { as_of: asOf } = exportQuery;
  if (asOf === undefined) return selection;
  return {
    ...selection,
    observations: `${selection.observations} AND ${received}`,
    trades: `${selection.trades} AND ${rowsKnown('trades')}`,
    candles: `${selection.candles} AND ${rowsKnown('venue_candles')}`,
    received,
    params: { ...selection.params, as_of_us: asOfMicros(asOf) },
  };
};

const asOfUs = '{as_of_us:Int64}';

const received = rowsKnown('snapshots');

/** The time at which a file's statuses are: that of its request, or `as_of`. */
export const clockOf = ({ as_of: asOf }: Pick<ExportQuery, 'as_of'>, requestedUs: number): number =>
  asOf === undefined ? requestedUs : asOfMicros(asOf);

/** After FROM: the markets of a file, as they are or as of a time. */
export const marketsWhere = (exportQuery: FileQuery, where: string): string => {
  if (exportQuery.as_of === undefined) return `markets FINAL WHERE ${where}`;
  // A day without its markets depends on the times of markets, which changed.
  const isByTimes = windowOf(exportQuery) !== null && exportQuery.markets === undefined;
  return `${marketsAsOf(asOfUs, isByTimes ? ofSeries : where)} AS past WHERE ${where}`;
};

const everythingOf = (exportQuery: FileQuery): Selection => {
  const { series, ticker, tickers, event, events, markets: listed } = exportQuery;
  const window = windowOf(exportQuery);
  if (window !== null && listed !== undefined) {
    const markets = 'ticker IN {tickers:Array(String)}';
    return {
      markets,
      tickers: markets,
      ...inWindow('{tickers:Array(String)}'),
      params: { tickers: listed, ...window },
    };
  }
  if (window !== null) {
    const { observations, trades, candles } = inWindow(`SELECT ticker FROM ${marketsWhere(exportQuery, ofSeries)}`);
    const known = exportQuery.as_of === undefined ? observations : `${observations} AND ${received}`;
    const observed = `ticker IN (SELECT ticker FROM snapshots WHERE ${known})`;
    const markets = `${ofSeries} AND (${wasOpen} OR ${observed})`;
    const tickersOfFile = inMarkets(exportQuery, markets);
    const rows = {
      observations,
      trades: `${trades} AND ${tickersOfFile}`,
      candles: `${candles} AND ${tickersOfFile}`,
    };
    return { markets, tickers: tickersOfFile, ...rows, params: { series, ...window } };
  }
  if (ticker !== null || tickers !== undefined) {
    const condition = tickers === undefined ? 'ticker = {ticker:String}' : 'ticker IN {tickers:Array(String)}';
    return { markets: condition, ...everyRow(condition), params: tickers === undefined ? { ticker } : { tickers } };
  }
  const params = { events: events ?? [event] };
  return { markets: ofEvents, ...everyRow(inMarkets(exportQuery, ofEvents)), params };
};

const inWindow = (tickers: string): RowConditions => ({
  observations: rowsInWindow(tickers, 'snapshots'),
  trades: rowsInWindow(tickers, 'trades'),
  candles: rowsInWindow(tickers, 'venue_candles'),
});

/** One text for all: whether all observations are counted is seen by comparing them. */
const everyRow = (tickers: string): RowConditions & Pick<Selection, 'tickers'> => ({
  tickers,
  observations: tickers,
  trades: tickers,
  candles: tickers,
});

const inMarkets = (exportQuery: FileQuery, condition: string): string =>
  `ticker IN (SELECT ticker FROM ${marketsWhere(exportQuery, condition)})`;

const ofSeries = 'series = {series:String}';

/** The index finds rows that ever were of the events, FINAL decides. FINAL over the entire table takes twice as long. */
const ofEvents = `event_ticker IN {events:Array(String)}
  AND ticker IN (SELECT ticker FROM markets WHERE event_ticker IN {events:Array(String)})`;
