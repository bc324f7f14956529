import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { eventSnapshotsResponse, marketsResponse } from '@almanac/contracts';
import { type ApiClient, apiClient } from '@almanac/test-e2e';
import { finishedMarket } from './finished-market.js';
import type { Page } from 'playwright-core';
import { drawnBy, pixelAt } from './charts.js';
import { assertCandlesDrawn } from './drawn-values.js';
import {
  accessFaults,
  closeFaultless,
  type ConsoleHarness,
  type ConsolePage,
  excessWidth,
  settled,
} from './console.js';

const run = promisify(execFile);

export const describeData = (console: () => ConsoleHarness): void => {
  describe('the data screens of the console', () => {
    let harness: ConsoleHarness;
    let api: ApiClient;
    let key = '';
    let ticker = '';
    let event = '';
    let closeTs = 0;
    let visitor: ConsolePage;
    let page: Page;
    before(async () => {
      harness = console();
      key = await harness.running.key('full_book');
      api = apiClient(harness.base, key);
      const market = await finishedMarket(api);
      ({ ticker } = market);
      closeTs = market.close_ts ?? 0;
      const ladder = await api.json(marketsResponse, '/markets?series=GENBTCH&status=finalized&limit=1');
      event = ladder.markets[0]?.event_ticker ?? '';
      visitor = await harness.signedIn(key);
      ({ page } = visitor);
    });
    after(() => closeFaultless(visitor));

    it('loads its first screen in less than 150 KB', async () => {
      const first = await harness.visit();
      const sizes: Promise<number>[] = [];
      first.page.on('requestfinished', (request) => {
        if (new URL(request.url()).pathname.startsWith('/console')) {
          sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
        }
      });
      await first.context.request.post('/auth/session', { headers: { Authorization: `Bearer ${key}` } });
      await first.open('/');
      await settled(first.page);
      await first.page.locator('[data-day]').first().waitFor();
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      assert.ok(bytes > 50_000 && bytes < 150_000, `${bytes} bytes`);
      await first.close();
    });

    it('finds a market as you type, by keyboard alone', async () => {
      await visitor.open('/');
      await settled(page);
      await page.keyboard.press('/');
      await page.keyboard.type(ticker);
      const hit = page.getByRole('option').filter({ hasText: ticker }).first();
      await hit.waitFor();
      for (let at = 0; at < 12 && (await hit.getAttribute('aria-selected')) !== 'true'; at += 1) {
        await page.keyboard.press('ArrowDown');
      }
      const active = await page.getByRole('combobox').first().getAttribute('aria-activedescendant');
      assert.equal(active, await hit.getAttribute('id'));
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/console/markets/${ticker}`);
    });

    it('leads to screens, themes and times by Ctrl K and words', async () => {
      const take = async (words: string, option: string): Promise<void> => {
        await page.keyboard.press('Control+k');
        await page.getByRole('option', { name: 'Theme: dark' }).waitFor();
        await page.keyboard.type(words);
        await page.getByRole('option', { name: option }).click();
      };
      await take('usage', 'Plan and usage');
      await page.waitForURL('**/console/plan');
      await take('th dark', 'Theme: dark');
      assert.equal(await page.evaluate(() => document.documentElement.dataset['theme']), 'dark');
      await take('theme sys', 'Theme: system');
      await take('2026-02-25 04:30', 'Show the archive as of 2026-02-25 04:30 UTC');
      await page.waitForURL('**/console/plan?as_of=1771993800');
      await take('now', 'Back to now');
      await page.waitForURL('**/console/plan');
    });

    it('draws exactly the candles of the API', async () => {
      await visitor.open(`/markets/${ticker}`);
      await settled(page);
      const candles = await assertCandlesDrawn(page, api, ticker);
      const coin = await drawnBy(page, 'coin');
      assert.deepEqual(
        coin.series['coin']?.filter((value) => value !== null),
        candles.flatMap(({ coin_price }) => coin_price?.close ?? []),
      );
    });

    it('has the line of the coin at the pixels of its values, and nothing beside it', async () => {
      const { ts, series } = await drawnBy(page, 'coin');
      const values = series['coin'] ?? [];
      for (const share of [0.2, 0.5, 0.8]) {
        const at = Math.floor(ts.length * share);
        const value = Number(values[at]);
        // In the middle of its step.
        const middle = ((ts[at] ?? 0) + (ts[at + 1] ?? 0)) / 2;
        const line = await pixelAt(page, 'coin', { ts: middle, value });
        assert.ok(
          line.some(([red, green, blue, alpha]) => alpha > 100 && red > green && green > blue),
          JSON.stringify(line),
        );
        const beside = await pixelAt(page, 'coin', { ts: middle, value: value * 1.00001, offsetY: -30 });
        assert.ok(!beside.some(([red, , blue, alpha]) => alpha > 100 && red > blue + 60), JSON.stringify(beside));
      }
    });

    it('zooms by keyboard into each stored observation, and the copied lines read the same', async () => {
      await page.locator('[data-chart="price"] [role="slider"]').focus();
      await page.keyboard.press('+');
      await page.keyboard.press('+');
      await page.getByText(/observations$/).waitFor();
      await settled(page);
      await page.locator('.charts').getByText('Copy as code').click();
      const code = await page.locator('.charts [data-language="curl"] pre').textContent();
      const { stdout } = await run('bash', ['-c', code ?? ''], { env: { ...process.env, ALMANAC_API_KEY: key } });
      const { snapshots } = JSON.parse(stdout) as { snapshots: { ts: number; yes_best_bid: number | null }[] };
      assert.ok(snapshots.length > 10);
      const { ts, series } = await drawnBy(page, 'price');
      const drawn = new Map(ts.map((time, at) => [time, series['bid']?.[at]]));
      for (const { ts: time, yes_best_bid } of snapshots) assert.equal(drawn.get(time), yes_best_bid, String(time));
      await page.keyboard.press('Escape');
    });

    it('has the code of a screen in the language that was chosen last, in colours and within a phone', async () => {
      const phone = await console().signedIn(key, { width: 360 });
      await phone.open(`/events/${event}`);
      await settled(phone.page);
      const panel = phone.page.locator('.charts .copy-as', { hasText: 'Copy as code' });
      await panel.getByText('Copy as code').click();
      await panel.getByRole('button', { name: 'TypeScript', exact: true }).click();
      await phone.page.reload();
      await settled(phone.page);
      await panel.getByText('Copy as code').click();
      const code = panel.locator('[data-language="TypeScript"] pre');
      assert.match(
        await code.innerText(),
        /^import .*\n\n.*the key is read from ALMANAC_API_KEY\nconsole\.log\(await /,
      );
      const parts = code.locator('[data-token]');
      const kinds = await parts.evaluateAll((all) => all.map((part) => part.getAttribute('data-token')));
      assert.deepEqual(new Set(kinds), new Set(['keyword', 'string', 'number', 'comment']));
      assert.match(await parts.and(phone.page.locator('[data-token="string"]')).first().innerText(), /^'@almanac/);
      const box = (await panel.locator('.copy-as-panel').boundingBox()) ?? assert.fail('no panel');
      assert.ok(box.x >= 0 && box.x + box.width <= 360 && box.y >= 0 && box.y + box.height <= 900, JSON.stringify(box));
      assert.equal(await excessWidth(phone.page), 0);
      assert.deepEqual(await accessFaults(phone.page), []);
      await closeFaultless(phone);
    });

    it('draws the markets of an event on one clock, as chosen', async () => {
      await visitor.open(`/events/${event}`);
      await settled(page);
      const { series, ts } = await drawnBy(page, 'event');
      const step = Math.round(((ts[1] ?? 0) - (ts[0] ?? 0)) * 1_000);
      const window = `start_ts=${ts[0]}&end_ts=${(ts.at(-1) ?? 0) + 1e-3}&step_ms=${step}`;
      const answer = await api.json(eventSnapshotsResponse, `/events/${event}/snapshots?${window}`);
      assert.deepEqual(answer.ts, ts);
      assert.equal(Object.keys(series).length, 8);
      for (const [name, values] of Object.entries(series)) {
        const market = answer.markets.find((one) => one.ticker === name);
        values.forEach((value, at) => {
          const [bid, ask] = [market?.yes_best_bid[at] ?? null, market?.yes_best_ask[at] ?? null];
          const middle = bid === null || ask === null ? (bid ?? ask) : Math.round(((bid + ask) / 2) * 1e8) / 1e8;
          assert.equal(value, middle, `${name} ${ts[at]}`);
        });
      }
      const [first = ''] = Object.keys(series);
      await page.getByRole('checkbox', { name: `Draw ${first}` }).uncheck();
      await page.waitForFunction((name) => !new URL(location.href).searchParams.getAll('draw').includes(name), first);
      await settled(page);
      assert.ok(!Object.keys((await drawnBy(page, 'event')).series).includes(first));
    });

    it('is as known at a time: in each call, in the address, and in a ribbon', async () => {
      const asOf = closeTs - 60;
      // Requests of the screen before would count.
      await visitor.open('/nowhere');
      await settled(page);
      const calls: string[] = [];
      page.on('request', (request) => {
        const url = new URL(request.url());
        if (!url.pathname.startsWith('/api/v1/') || /\/(plan|cart|keys|exports|webhooks)/.test(url.pathname)) return;
        const body = request.postDataJSON() as { as_of?: number } | null;
        calls.push(url.searchParams.get('as_of') ?? String(body?.as_of));
      });
      await visitor.open(`/markets?as_of=${asOf}`);
      await settled(page);
      await page.locator('.ribbon').getByText('As known at').waitFor();
      await page.getByRole('combobox').first().fill(ticker);
      await page.getByRole('option').filter({ hasText: ticker }).first().click();
      await page.waitForURL(`**/console/markets/${ticker}?as_of=${asOf}`);
      await settled(page);
      await page.getByText('live', { exact: true }).first().waitFor();
      const { ts } = await drawnBy(page, 'price');
      assert.ok(Math.max(...ts) <= asOf);
      assert.ok(calls.length > 5);
      assert.deepEqual([...new Set(calls)], [String(asOf)]);
      await page.getByRole('button', { name: 'Back to now' }).click();
      await page.waitForURL(`**/console/markets/${ticker}`);
      await page.getByText('finalized · ').first().waitFor();
    });
  });
};
