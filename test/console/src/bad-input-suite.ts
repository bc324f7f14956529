import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { command, connectClickHouse } from '@almanac/clickhouse';
import type { Page } from 'playwright-core';
import { apiClient } from '@almanac/test-e2e';
import { drawnBy, pixelAt } from './charts.js';
import { oddEvent, oddTicker, oddTitles, wideN, wideTicker } from './archive.js';
import { closeFaultless as done, type ConsoleHarness, excessWidth, settled } from './console.js';

export const describeOddData = (console: () => ConsoleHarness): void => {
  describe('the console with data that is unusual', () => {
    let harness: ConsoleHarness;
    let key = '';
    before(async () => {
      harness = console();
      key = await harness.running.key('pro');
    });
    const market = (ticker: string): string => `/markets/${encodeURIComponent(ticker)}`;
    const addToCart = () => {
      const body = JSON.stringify({ event: oddEvent });
      return apiClient(harness.base, key).send('/cart/event-exports', { method: 'POST', body });
    };
    const textDirection = (page: Page): Promise<string> =>
      page.locator('h1').evaluate((heading) => getComputedStyle(heading).direction);

    it('shows tickers and titles with markup, in Arabic and of 500 characters as they are, on a phone', async () => {
      const visitor = await harness.signedIn(key, { width: 360 });
      const { page, open } = visitor;
      assert.equal(oddTitles.long.length, 500);
      for (const [name, title] of Object.entries(oddTitles) as [keyof typeof oddTitles, string][]) {
        await open(market(oddTicker(name)));
        await settled(page);
        assert.equal(await page.locator('h1').innerText(), title);
        assert.equal(await page.locator('.crumbs code').innerText(), oddTicker(name));
        assert.equal(await textDirection(page), name === 'arabic' ? 'rtl' : 'ltr', name);
        assert.equal(await excessWidth(page), 0, name);
      }
      await addToCart();
      const paths = [`/events/${encodeURIComponent(oddEvent)}`, '/markets?q=KXODD', '/cart'];
      for (const path of [...paths, `/exports/new?ticker=${encodeURIComponent(oddTicker('markup'))}`]) {
        await open(path);
        await settled(page);
        assert.equal(await page.locator('main b, main img[src="x"], main script').count(), 0, path);
        assert.doesNotMatch(await page.title(), /^hacked$/, path);
        assert.equal(await excessWidth(page), 0, path);
      }
      await done(visitor);
    });

    it('opens an event whose address has markup from the search', async () => {
      const visitor = await harness.signedIn(key);
      const { page, open } = visitor;
      await open('/');
      await settled(page);
      await page.getByRole('combobox').first().fill(oddEvent.slice(0, -4));
      await page.getByRole('option').filter({ hasText: oddEvent }).first().click();
      await page.waitForURL('**/console/events/KXODD-26-%3CB%3EE%3C%2FB%3E');
      await page.getByRole('cell', { name: oddTitles.arabic }).first().waitFor();
      await done(visitor);
    });

    it('keeps the escapes of an id in the address when a time is chosen, and goes back', async () => {
      const visitor = await harness.signedIn(key);
      const { page, open } = visitor;
      const path = `/console${market(oddTicker('arabic'))}`;
      await open(market(oddTicker('arabic')));
      await settled(page);
      await page.locator('.as-of summary').click();
      await page.getByLabel('Show the archive as it was known at').fill('2026-04-01T00:00:00');
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      await page.locator('.ribbon').getByText('As known at').waitFor();
      const { pathname, search } = new URL(page.url());
      assert.deepEqual([pathname, search], [path, '?as_of=1775001600']);
      await page.getByRole('button', { name: 'Back to now' }).click();
      await page.waitForURL((url) => url.search === '');
      assert.equal(new URL(page.url()).pathname, path);
      assert.equal(await page.locator('.crumbs code').innerText(), oddTicker('arabic'));
      await page.goBack();
      await page.waitForURL((url) => url.search === '?as_of=1775001600');
      await done(visitor);
    });

    it('says of a market without data that nothing is recorded, and shows its terms', async () => {
      const visitor = await harness.signedIn(key);
      const { page, open } = visitor;
      await open(market(oddTicker('arabic')));
      await settled(page);
      await page.getByText('Nothing is recorded of this market').waitFor();
      assert.equal(await page.locator('[data-chart]').count(), 0);
      await page.getByRole('region', { name: 'Rules' }).getByText(oddTitles.markup).waitFor();
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

    it('opens an event of 1,000 markets with a few requests, scrolls to the last, and draws it', async () => {
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
      // Pages of the ladder with their prices, one of the clock, the event, and the coin of one market.
      assert.ok(requests.length < 30, requests.join('\n'));
      assert.ok(new Set(requests.filter((path) => path.includes('/markets/WIDE-'))).size <= 1, requests.join('\n'));
      await page.getByRole('checkbox', { name: `Draw ${last}` }).check();
      await page.waitForFunction((name) => new URL(location.href).searchParams.getAll('draw').includes(name), last);
      await settled(page);
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
};
