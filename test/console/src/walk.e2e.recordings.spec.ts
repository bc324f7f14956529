import { recording } from '@almanac/testing';
import { useConsole } from './console.js';
import { describeWalk } from './walk-suite.js';

const { path: folder, skip } = recording('data/kalshi-l2/session-20260514T130107Z');

describeWalk(
  'a first visit to real order books',
  {
    skip,
    open: () =>
      Promise.resolve({
        folder,
        ticker: 'KXBTC15M-26MAY140915-15',
        event: 'KXBTC15M-26MAY140915',
        closeS: Date.parse('2026-05-14T13:15:00Z') / 1_000,
      }),
  },
  useConsole({ skip: skip !== false }),
);
