import { type Shape, tickerOf } from './data.js';
import { endS } from './catalogue-data.js';
import { compareHttp, getRequest, type HttpSide, requestBytes } from './http-side.js';
import type { BenchRow, Measured } from './row.js';
import { pathOf } from './snapshots.rows.js';
import type { BenchHarness } from './harness.js';

/** The last second with rows, so that both sides have the same ones. */
const asOf = ({ openS, secondsN }: Shape): number => openS + secondsN;

const sideOf = ({ gateway: { port, headers } }: BenchHarness, path: (index: number) => string): HttpSide => ({
  port,
  request: (index) => getRequest(`/api/v1${path(index)}`, headers),
});

const snapshots = (harness: BenchHarness) => {
  const { archive } = harness.size;
  const ours = sideOf(harness, (index) => `${pathOf(index, archive)}&as_of=${asOf(archive)}`);
  const reference = sideOf(harness, (index) => pathOf(index, archive));
  return compareHttp(harness, { ours, reference, check: { kind: 'rows' }, distinct: 'all' });
};

const details = (harness: BenchHarness) => {
  const { archive } = harness.size;
  const detail = (index: number): string => `/markets/${tickerOf(index % archive.marketsN, archive)}`;
  const ours = sideOf(harness, (index) => `${detail(index)}?as_of=${asOf(archive)}`);
  const reference = sideOf(harness, detail);
  return compareHttp(harness, { ours, reference, check: { kind: 'text', text: '"source"' }, distinct: 'all' });
};

/** A request has this long in the catalog service. */
const deadlineMs = 5_000;

/** The time when most markets of the generated catalogue were listed. */
const catalogueTime = (): number => Math.min(endS, Math.floor(Date.now() / 1_000) - 60);

/** Each path once, so that no answer is repeated. A list or a search as of a time reads the versions of all markets. */
const slowest =
  (paths: readonly string[]) =>
  async ({ gateway: { url, headers } }: BenchHarness): Promise<Measured> => {
    const took: { readonly path: string; readonly ms: number }[] = [];
    for (const path of paths) {
      const startedAt = performance.now();
      await requestBytes(`${url}${path}as_of=${catalogueTime()}`, { headers });
      took.push({ path, ms: performance.now() - startedAt });
    }
    const ours = Math.max(...took.map(({ ms }) => ms));
    const notes = took.map(({ path, ms }) => `${path} ${ms.toFixed(0)} ms`);
    return { ours, reference: deadlineMs, ratio: ours / deadlineMs, notes };
  };

const lists = [
  '/markets?limit=200&',
  '/markets?series=KXBTCD&',
  '/markets?status=finalized&',
  '/series?',
  '/categories?',
];
/** Words of most markets, of many, of some, and none, which ranks all of them. */
const searches = ['utc', 'price', 'bitcoin price above', 'philadelphia', ''].map(
  (q) => `/search?q=${encodeURIComponent(q)}&`,
);

export const asOfRows: readonly BenchRow[] = [
  {
    name: 'snapshots as of a time, cold',
    against: 'the same window without as_of',
    threshold: { atLeast: 0.9 },
    unit: 'requests/s',
    measure: snapshots,
  },
  {
    name: 'market detail as of a time',
    against: 'the same detail without as_of',
    threshold: { atLeast: 0.9 },
    unit: 'requests/s',
    measure: details,
  },
  {
    name: 'lists as of a time, slowest',
    against: 'their deadline',
    threshold: { below: 1 },
    unit: 'ms',
    measure: slowest(lists),
  },
  {
    name: 'search as of a time, slowest',
    against: 'its deadline',
    threshold: { below: 1 },
    unit: 'ms',
    measure: slowest(searches),
  },
];
