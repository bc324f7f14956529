import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { writeKalshiSession } from '@almanac/recordings';
import { describeAccount } from './account-suite.js';
import { describeAlerts } from './alert-suite.js';
import { storeConsoleArchive } from './archive.js';
import { describeOddData } from './bad-input-suite.js';
import { useConsole } from './console.js';
import { describeCharts } from './chart-suite.js';
import { describeCompare } from './compare-suite.js';
import { describeCoverage } from './coverage-suite.js';
import { describeData } from './data-suite.js';
import { describeDocs } from './docs-suite.js';
import { describeEvents } from './event-suite.js';
import { describeHover } from './hover-suite.js';
import { describeLive } from './live-suite.js';
import { describeHome } from './home-suite.js';
import { describeOperator } from './operator-suite.js';
import { describeScreens } from './screens-suite.js';
import { describeStates } from './states-suite.js';
import { describeTouch } from './touch-suite.js';
import { describeWalk } from './walk-suite.js';

// A system and a browser take longer to start than each of these parts, so they share them.
const shared = useConsole();
const folder = await mkdtemp(join(tmpdir(), 'almanac-walk-'));
after(() => rm(folder, { recursive: true, force: true }));

/** 10:00 in New York. */
const closeS = Date.parse('2026-05-14T14:00:00Z') / 1_000;

// It begins with an empty archive.
describeWalk(
  'a first visit to generated order books',
  {
    skip: false,
    open: async () => {
      const sizes = { changes: 4_000, changesAfterRotation: 400, levels: 20, trades: 400 };
      const session = await writeKalshiSession(folder, { seed: 1, closeS, ...sizes });
      const [market] = session.markets;
      assert.ok(market !== undefined);
      return { folder: session.folder, ticker: market.ticker, event: market.ticker.replace(/-\d+$/, ''), closeS };
    },
  },
  shared,
);

describe('the console', () => {
  before(() => storeConsoleArchive(shared()));
  describeHome(shared);
  describeData(shared);
  describeCharts(shared);
  describeEvents(shared);
  describeHover(shared);
  describeLive(shared);
  describeAlerts(shared);
  describeCompare(shared);
  describeCoverage(shared);
  describeOperator(shared);
  describeDocs(shared);
  describeAccount(shared);
  describeStates(shared);
  describeOddData(shared);
  describeTouch(shared);
  describeScreens(shared);
});
