import { day, dayUs, event, market, midnightUs, series } from './generated-archive.js';
import { type RunningHarness, startExportHarness } from './harness.js';
import { storeMade } from './store-generated.js';

export const startGeneratedHarness = (): Promise<RunningHarness> =>
  startExportHarness({
    store: ({ system }) => storeMade(system),
    targets: { event: { event }, ticker: { ticker: market }, day: { series, day } },
    span: { from_us: midnightUs - dayUs, to_us: midnightUs + 2 * dayUs },
  });
