import { type Shape, tickerOf } from './data.js';
import { compareHttp, getRequest, type HttpSide } from './http-side.js';
import type { BenchRow } from './row.js';
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
];
