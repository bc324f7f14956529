// Takes over a hundred pictures, and compares them with those of the same machine: letters look different on others.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { marketsResponse } from '@almanac/contracts';
import { storeGeneratedArchive } from '@almanac/operator';
import { apiClient } from '@almanac/test-e2e';
import type { Page } from 'playwright-core';
import { type Comparison, comparePicture, storeDocumentPicture } from './pictures.js';
import { closeFaultless, type ConsoleHarness, type ConsolePage, settled, useConsole } from './console.js';

/** The archive ends at one moment, and the clock of the browser stands at another, so a picture changes only with the console. */
const recorded = new Date('2026-06-03T12:10:00Z');
/** After the last close: the server has a clock of its own. */
const now = new Date('2026-07-05T09:30:00Z');
const widths = [360, 768, 1_440] as const;
const themes = ['light', 'dark'] as const;
/** What is of the account and of this run. */
const ownOfRun = 'main td, main dd, main code, main time, [data-meter], .hint';
/** The port of this run, and whether a key is known. */
const ownOfServer = '.docs-operation .buttons, .docs-code pre';

interface Shown {
  readonly name: string;
  readonly path: string;
  /** What is different in each run. */
  readonly mask?: string;
}

describe('pictures of all screens', () => {
  const shared = useConsole();
  let harness: ConsoleHarness;
  let key = '';
  let market = '';
  let event = '';
  before(async () => {
    harness = shared();
    await storeGeneratedArchive(harness.running.system, Math.floor(recorded.getTime() / 1_000));
    key = await harness.running.key('full_book');
    const api = apiClient(harness.base, key);
    const newest = async (series: string) =>
      (await api.json(marketsResponse, `/markets?series=${series}&status=finalized&limit=1`)).markets[0];
    market = (await newest('GENBTC15M'))?.ticker ?? assert.fail('no market');
    event = (await newest('GENBTCH'))?.event_ticker ?? assert.fail('no event');
  });
  const screens = (): readonly Shown[] => [
    { name: 'home', path: '/' },
    { name: 'browse', path: '/browse' },
    { name: 'markets', path: '/markets' },
    { name: 'coverage', path: '/quality?series=GENBTC15M&from=2026-05-20&to=2026-06-03&day=2026-06-03' },
    { name: 'series', path: '/series/GENBTC15M' },
    { name: 'event', path: `/events/${event}` },
    { name: 'event-heatmap', path: `/events/${event}?kind=heatmap` },
    { name: 'event-distribution', path: `/events/${event}?kind=distribution` },
    { name: 'market', path: `/markets/${market}` },
    { name: 'market-candles', path: `/markets/${market}?kind=candles` },
    { name: 'compare', path: `/compare?market=${market}&market=GENRATE-NEXT-HOLD` },
    { name: 'export-wizard', path: `/exports/new?event=${event}&format=parquet` },
    { name: 'exports', path: '/exports', mask: ownOfRun },
    { name: 'cart', path: '/cart' },
    { name: 'plan', path: '/plan', mask: ownOfRun },
    { name: 'keys', path: '/keys', mask: ownOfRun },
    { name: 'webhooks', path: '/webhooks' },
    { name: 'reference', path: '/docs', mask: ownOfServer },
    { name: 'reference-of-an-endpoint', path: '/docs?operation=listCandles', mask: ownOfServer },
    { name: 'no-such-screen', path: '/nowhere' },
  ];
  const open = async (visitor: ConsolePage, { path }: Shown): Promise<void> => {
    await visitor.page.clock.setFixedTime(now);
    await visitor.open(path);
    await settled(visitor.page);
    await visitor.page.waitForLoadState('networkidle');
  };
  const pictureOf = (page: Page, mask: string | undefined): Promise<Buffer> =>
    page.screenshot({ fullPage: true, animations: 'disabled', mask: mask === undefined ? [] : [page.locator(mask)] });

  for (const width of widths) {
    for (const theme of themes) {
      it(`are as accepted at ${width} px, ${theme}`, async (test) => {
        const visitor = await harness.signedIn(key, { width, theme });
        const reader = await visitor.context.newPage();
        const found = new Map<Comparison, string[]>();
        for (const screen of screens()) {
          await open(visitor, screen);
          const name = `${screen.name}-${width}-${theme}`;
          const comparison = await comparePicture(reader, name, await pictureOf(visitor.page, screen.mask));
          found.set(comparison, [...(found.get(comparison) ?? []), name]);
        }
        const fresh = found.get('new') ?? [];
        if (fresh.length > 0)
          test.diagnostic(
            `Remark: ${fresh.length} pictures are new. Look at them in .almanac/pictures/latest, then run npm run pictures -- --accept`,
          );
        assert.deepEqual(found.get('different') ?? [], [], 'Look at .almanac/pictures/differences.');
        await reader.close();
        await closeFaultless(visitor);
      });
    }
  }

  it('are those of the documents', async () => {
    const visitor = await harness.signedIn(key, { width: 1_440, theme: 'light' });
    const { page } = visitor;
    await page.setViewportSize({ width: 1_280, height: 800 });
    const named = new Map(screens().map((screen) => [screen.name, screen]));
    for (const [file, name] of [
      ['console', 'market'],
      ['console-event', 'event-distribution'],
      ['console-export', 'export-wizard'],
    ] as const) {
      await open(visitor, named.get(name) ?? assert.fail(name));
      await storeDocumentPicture(file, await page.screenshot({ animations: 'disabled' }));
    }
    await closeFaultless(visitor);
  });
});
