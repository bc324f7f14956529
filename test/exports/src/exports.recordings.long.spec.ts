import assert from 'node:assert/strict';
import { recording } from '@almanac/testing';
import { describeFiles } from './describe-files.js';
import { allCases } from './matrix.js';
import { startExportHarness } from './harness.js';

const quotes = recording('data/kalshi-15m');
const dayUs = 86_400_000_000;
/** 2026-02-25 UTC: all quotes of the recording, and 96 markets of each series. */
const startUs = 1_771_977_600_000_000;
const event = 'KXBTC15M-26FEB242330';

describeFiles('any file of a real recording has the rows, values and types of the API', {
  skip: quotes.skip,
  cases: allCases,
  open: () =>
    startExportHarness({
      store: async (running) => {
        const { code, output } = await running.import(quotes.path);
        assert.equal(code, 0, output);
      },
      targets: {
        event: { event },
        ticker: { ticker: 'KXBTC15M-26FEB250000-00' },
        day: { series: 'KXBTC15M', day: '2026-02-25' },
      },
      span: { from_us: startUs, to_us: startUs + dayUs },
    }),
});
