import type { Query } from '@almanac/clickhouse';
// The SQL of the service itself, imported from its build, so that both sides always read the same way.
import { topRowsSql } from '../../../services/timeseries/dist/rows/rows-sql.js';
import { type Shape, tickerOf } from './data.js';

/** A read of snapshots, in seconds. */
export interface Window {
  readonly ticker: string;
  readonly startTs: number;
  readonly endTs: number;
}

/** A window of a market with fewer rows is half of them. */
const windowS = 900;
const stepMs = 1_000;
const limit = 1_000;

/**
 * Another market's window in turn, and of the same market none twice for a long time. Another shift gives windows that
 * differ from those of other rows, which the gateway may have ready.
 */
export const windowAt = (index: number, shape: Shape, shiftS = 0): Window => {
  const { marketsN, secondsN, openS } = shape;
  const lengthS = Math.min(windowS, Math.floor(secondsN / 2));
  const round = Math.floor(index / marketsN);
  const startTs = openS + ((round * 17 + (index % marketsN)) % (secondsN - lengthS)) + shiftS;
  return { ticker: tickerOf((index * 7) % marketsN, shape), startTs, endTs: startTs + lengthS };
};

const searchOf = ({ startTs, endTs }: Window): string =>
  `?start_ts=${startTs}&end_ts=${endTs}&step_ms=${stepMs}&limit=${limit}`;

/** The path at the gateway, without the version of the API. */
export const snapshotsPath = (window: Window): string => `/markets/${window.ticker}/snapshots${searchOf(window)}`;

/** The path at the bare server. */
export const barePath = (window: Window): string => `/snapshots/${window.ticker}${searchOf(window)}`;

/** The SQL of the timeseries service for such a read. */
export const snapshotsQuery = ({ ticker, startTs, endTs }: Window): Query => ({
  sql: topRowsSql('downsampled'),
  params: { ticker, start_us: startTs * 1e6, end_us: endTs * 1e6, limit, step_us: stepMs * 1_000 },
});
