import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { command, connectClickHouse } from '@almanac/clickhouse';
import { storeArchive } from '@almanac/system';
import type { Page } from 'playwright-core';
import { drawnBy, pixelAt } from './charts.js';
import { type ConsoleHarness, type ConsolePage, excessWidth, settled, startConsole } from './console.js';
import { arabic, importOddMarkets, markup } from './odd-markets.js';

const long = 'W'.repeat(250) + ' words'.repeat(42).slice(0, 250);
const titles = { markup, arabic, long } as const;

const openS = 1_771_990_000;
const closeS = openS + 900;
const wideN = 2_000;

const tickerOf = (name: keyof typeof titles): string => `KXODD-26-<B>${name}</B>`;
const oddMarkets = (Object.keys(titles) as (keyof typeof titles)[]).map((name) => ({
  ticker: tickerOf(name),
  event_ticker: 'KXODD-26-<B>E</B>',
  title: titles[name],
}));

const times = { open_us: openS * 1e6, close_us: closeS * 1e6, result: 'yes' };
const wideTicker = (at: number): string => `WIDE-E-${String(at).padStart(4, '0')}`;
const rowAt = (ticker: string, series: string, second: number) => ({
  ticker,
  series,
  second,
  bidCents: 40,
  askCents: 44,
  coinPrice: null,
  sizes: null,
});

/** An event with 2,000 markets, and a market with one price. */
const archive = {
  facts: [
    { kind: 'series' as const, id: 'ONE' },
    {
      kind: 'market' as const,
      ticker: 'ONE-E-M',
      event_ticker: 'ONE-E',
      series: 'ONE',
      capture: 'top' as const,
      ...times,
    },
    { kind: 'series' as const, id: 'WIDE' },
    ...Array.from({ length: wideN }, (_, at) => ({
      kind: 'market' as const,
      ticker: wideTicker(at),
      event_ticker: 'WIDE-E',
      series: 'WIDE',
      title: `Between ${at} and ${at + 1}?`,
      floor_strike: String(at),
      strike_type: 'greater',
      capture: 'top' as const,
      ...times,
    })),
  ],
  rows: [
    rowAt('ONE-E-M', 'ONE', openS + 300),
    ...Array.from({ length: wideN * 3 }, (_, at) =>
      rowAt(wideTicker(Math.floor(at / 3)), 'WIDE', openS + (at % 3) * 300),
    ),
  ],
};

describe('the console with data that is unusual', () => {
  let harness: ConsoleHarness;
  let key = '';
  before(async () => {
    harness = await startConsole({ environment: { export: { EXPORT_ATTEMPTS: '2' } } });
    await storeArchive(harness.running.system, archive);
    await importOddMarkets(harness, oddMarkets);
    key = await harness.running.key('pro');
  });
  after(() => harness.stop());

  const market = (ticker: string): string => `/markets/${encodeURIComponent(ticker)}`;
  const done = async ({ faults, context }: ConsolePage): Promise<void> => {
    assert.deepEqual(faults, []);
    await context.close();
  };
  const textDirection = (page: Page): Promise<string> =>
    page.locator('h1').evaluate((heading) => getComputedStyle(heading).direction);

  for (const width of [360, 1_440] as const) {
    it(`shows tickers and titles with markup, in Arabic and of 500 characters as they are, at ${width} px`, async () => {
      const visitor = await harness.signedIn(key, { width });
      const { page, open } = visitor;
      assert.equal(long.length, 500);
      for (const [name, title] of Object.entries(titles) as [keyof typeof titles, string][]) {
        await open(market(tickerOf(name)));
        await settled(page);
        assert.equal(await page.locator('h1').innerText(), title);
        assert.equal(await page.locator('.crumbs code').innerText(), tickerOf(name));
        assert.equal(await textDirection(page), name === 'arabic' ? 'rtl' : 'ltr', name);
        assert.equal(await excessWidth(page), 0, name);
      }
      for (const path of [
        '/events/KXODD-26-%3CB%3EE%3C%2FB%3E',
        '/markets',
        `/exports/new?ticker=${encodeURIComponent(tickerOf('markup'))}`,
      ]) {
        await open(path);
        await settled(page);
        assert.equal(await page.locator('main b, main img[src="x"], main script').count(), 0, path);
        assert.doesNotMatch(await page.title(), /^hacked$/, path);
        assert.equal(await excessWidth(page), 0, path);
      }
      await done(visitor);
    });
  }

  it('opens an event whose address has markup from the search', async () => {
    const visitor = await harness.signedIn(key);
    const { page, open } = visitor;
    await open('/');
    await settled(page);
    await page.getByRole('combobox').first().fill('KXODD-26-<B>E');
    await page.getByRole('option').filter({ hasText: 'KXODD-26-<B>E</B>' }).first().click();
    await page.waitForURL('**/console/events/KXODD-26-%3CB%3EE%3C%2FB%3E');
    await page.getByRole('cell', { name: arabic }).first().waitFor();
    await done(visitor);
  });

  it('says of a market without data that nothing is recorded, and shows its terms', async () => {
    const visitor = await harness.signedIn(key);
    const { page, open } = visitor;
    await open(market(tickerOf('arabic')));
    await settled(page);
    await page.getByText('Nothing is recorded of this market').waitFor();
    assert.equal(await page.locator('[data-chart]').count(), 0);
    await page.getByRole('region', { name: 'Rules' }).getByText(markup).waitFor();
    await done(visitor);
  });

  it('draws the only price of a market as a point', async () => {
    const visitor = await harness.signedIn(key);
    const { page, open } = visitor;
    await open(market('ONE-E-M'));
    await settled(page);
    const { ts, series } = await drawnBy(page, 'price');
    const known = ts.flatMap((time, at) => (series['bid']?.[at] == null ? [] : [[time, at] as const]));
    assert.equal(known.length, 1);
    const [time, at] = known[0] ?? assert.fail('no price');
    assert.deepEqual(
      ['bid', 'ask', 'mid'].map((name) => series[name]?.[at]),
      [0.4, 0.44, 0.42],
    );
    const pixels = await pixelAt(page, 'price', { ts: time, value: 0.4 });
    assert.ok(
      pixels.every(([, , , alpha]) => alpha > 200),
      JSON.stringify(pixels),
    );
    for (const name of ['Zoom in', 'Later', 'Whole life']) await page.getByRole('button', { name }).click();
    await settled(page);
    assert.match(await page.locator('.readout').innerText(), /0\.4/);
    await done(visitor);
  });

  it('opens an event of 2,000 markets with a few requests, scrolls to the last, and draws it', async () => {
    const visitor = await harness.signedIn(key);
    const { page, open } = visitor;
    const requests: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/api/')) requests.push(pathname);
    });
    await open('/events/WIDE-E');
    await settled(page);
    const { ts, series } = await drawnBy(page, 'event');
    assert.equal(Object.keys(series).length, 8);
    assert.ok(ts.length > 100);
    const table = page.locator('[data-kind="ladder"]');
    for (let step = 0; step < 60 && (await table.getAttribute('data-rows')) !== String(wideN); step += 1) {
      await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
      await settled(page);
    }
    assert.equal(await table.getAttribute('data-rows'), String(wideN));
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    const last = wideTicker(wideN - 1);
    await page.getByText(last, { exact: true }).waitFor();
    assert.ok((await table.locator('.rows > .row').count()) < 80);
    // Five pages of the ladder with their prices, one of the clock, the event, and the coin of one market.
    assert.ok(requests.length < 30, requests.join('\n'));
    assert.ok(new Set(requests.filter((path) => path.includes('/markets/WIDE-'))).size <= 1, requests.join('\n'));
    await page.getByRole('checkbox', { name: `Draw ${last}` }).check();
    await page.waitForFunction((name) => document.querySelector(`.event-legend [title="${name}"]`) !== null, last);
    const values = (await drawnBy(page, 'event')).series[last] ?? [];
    assert.equal(
      values.findLast((value) => value !== null),
      0.42,
    );
    await done(visitor);
  });

  it('says why an export failed, what to do, and requests it again', async () => {
    const { infrastructure, secrets } = harness.running.system;
    const account = { username: 'admin', password: secrets.clickhouse.admin };
    const { clickhouseUrl: url, clickhouseCluster: cluster } = infrastructure;
    const admin = connectClickHouse({ url, cluster, ...account });
    const visitor = await harness.signedIn(key);
    const { page, open } = visitor;
    await open('/exports/new?event=ONE-E&format=csv');
    await page.locator('[data-quote="plan"]').waitFor();
    await command(admin, { sql: 'ALTER TABLE snapshots RENAME COLUMN coin_price TO coin_price_' });
    try {
      await page.getByRole('button', { name: 'Export', exact: true }).click();
      const failed = page.locator('[data-state="error"]');
      await failed.getByText('The export failed').waitFor({ timeout: 120_000 });
      assert.match(await failed.innerText(), /not charged/);
      assert.match(await failed.innerText(), /report the id of this export/);
    } finally {
      await command(admin, { sql: 'ALTER TABLE snapshots RENAME COLUMN coin_price_ TO coin_price' });
      await admin.close();
    }
    await page.getByRole('link', { name: 'Request it again' }).click();
    await page.locator('[data-quote="plan"]').waitFor();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('link', { name: 'Download' }).waitFor({ timeout: 120_000 });
    await done(visitor);
  });
});
