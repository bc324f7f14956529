import { setImmediate } from 'node:timers/promises';
import type { ReadCaller } from '@almanac/runtime';
import type { MarketContext } from '../market-context.js';
import { slabMarketOf } from '../slabs/make-slabs.js';
import type { ValuesOfRows } from '../slabs/slab-values.js';
import type { ScanRequest, Slabs } from '../slabs/slabs.js';
import type { TableBytes } from '../tables/read-table.js';
import type { Table, TextForm } from '../tables/table-sql.js';
import { isPlainText, tableText } from '../tables/table-text.js';
import { candleCells, type CandleGrid } from './candle-cells.js';
import { periodsOfRows, type PeriodsOfRows } from './period-values.js';

/** Candles of markets without trades. `grids` are those of the markets, in their order. */
export interface SlabCandlesRequest {
  readonly markets: readonly MarketContext[];
  readonly grids: readonly CandleGrid[];
  readonly form: TextForm;
  readonly table: Table;
}

interface MarketCandles {
  readonly grid: CandleGrid;
  readonly rows: PeriodsOfRows;
  /** Undefined if the window has no observations. */
  readonly scan: ScanRequest | undefined;
  /** Of the first observation, null without one. */
  readonly firstUs: number | null;
}

/**
 * The bytes that ClickHouse gives for `candleTable`, with the decimals of the rows. Undefined if slabs do not have all that
 * the candles need.
 */
export const slabCandles = async (
  slabs: Slabs | undefined,
  { markets, grids, form, table }: SlabCandlesRequest,
  caller: ReadCaller,
): Promise<TableBytes | undefined> => {
  if (slabs === undefined || !grids.every(({ ticker }) => isPlainText(ticker))) return undefined;
  const candles = markets.flatMap((market, at) => {
    const grid = grids[at];
    return grid === undefined ? [] : [candlesOf(market, grid)];
  });
  const scanned = candles.flatMap((one) => (one.scan === undefined ? [] : [{ ...one, scan: one.scan }]));
  const fromUs =
    scanned.length === 0
      ? []
      : await slabs.scan(
          scanned.map(({ scan }) => scan),
          caller,
        );
  if (fromUs === undefined) return undefined;
  const coveredFrom = new Map(scanned.map(({ grid }, at) => [grid, fromUs[at]]));
  if (!candles.every((one) => hasLastRow(one, coveredFrom.get(one.grid) ?? Infinity))) return undefined;
  const text = tableText(form, table);
  for (const { grid, rows } of candles) {
    for (const cells of candleCells(grid, rows)) text.add(cells);
    // A market has up to 5,000 candles.
    if (candles.length > 1) await setImmediate();
  }
  return text.result();
};

const candlesOf = (market: MarketContext, grid: CandleGrid): MarketCandles => {
  const rows = periodsOfRows(grid);
  const { stored } = market;
  if (stored === null) return { grid, rows, scan: undefined, firstUs: null };
  const window = {
    startUs: Math.max(grid.startUs, stored.minUs),
    endUs: Math.min(grid.untilUs, stored.maxUs + 1),
  };
  const scan = { market: slabMarketOf(market), window, onRows: (found: ValuesOfRows) => rows.add(found) };
  return { grid, rows, scan: window.startUs < window.endUs ? scan : undefined, firstUs: stored.minUs };
};

/** Whether the last row before the window is known. It can be in a slab that was not read. */
const hasLastRow = ({ grid, rows, firstUs }: MarketCandles, coveredFromUs: number): boolean =>
  grid.fill === 'none' ||
  firstUs === null ||
  rows.before.us > 0 ||
  firstUs >= Math.min(coveredFromUs, grid.untilUs) ||
  grid.startUs >= grid.untilUs;
