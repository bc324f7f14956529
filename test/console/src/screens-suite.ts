import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { marketsResponse } from '@almanac/contracts';
import { apiClient, poll } from '@almanac/test-e2e';
import { suspendProcess } from '@almanac/testing';
import { exportResponse } from '@almanac/contracts';
import { accessFaults, closeFaultless, type ConsoleHarness, settled, viewFaults, views } from './console.js';
import { finishedMarket } from './finished-market.js';
import { oddEvent, oddTicker } from './archive.js';

export const describeScreens = (console: () => ConsoleHarness): void => {
  describe('each screen of the console', () => {
    let harness: ConsoleHarness;
    let key = '';
    let screens: readonly (readonly [string, string])[] = [];
    before(async () => {
      harness = console();
      key = await harness.running.key('pro');
      const api = apiClient(harness.base, key);
      const market = await finishedMarket(api);
      const steps = await api.json(marketsResponse, '/markets?series=GENBTCH&status=finalized&limit=1');
      const ladder = steps.markets[0]?.event_ticker;
      const body = JSON.stringify({ ticker: market.ticker, format: 'csv' });
      const { id } = await api.json(exportResponse, '/exports', { method: 'POST', body });
      await poll(
        () => api.json(exportResponse, `/exports/${id}`),
        ({ status }) => status === 'ready',
      );
      const hook = { url: 'https://example.org/hook', events: ['export.ready'] };
      await api.send('/webhooks', { method: 'POST', body: JSON.stringify(hook) });
      await api.send('/cart/event-exports', { method: 'POST', body: JSON.stringify({ event: oddEvent }) });
      screens = [
        ['home', '/'],
        ['browse', '/browse'],
        ['markets', '/markets'],
        ['coverage', '/quality'],
        ['coverage-by-day', `/quality?venue=generated&day=${new Date().toISOString().slice(0, 10)}`],
        ['coverage-of-nothing', '/quality?series=NEVER'],
        ['odd-titles', `/events/${encodeURIComponent(oddEvent)}`],
        ['market-without-data', `/markets/${encodeURIComponent(oddTicker('markup'))}`],
        ['market-with-a-long-title', `/markets/${encodeURIComponent(oddTicker('long'))}`],
        ['event', `/events/${market.event_ticker}`],
        ['event-heatmap', '/events/GENRATE-NEXT?kind=heatmap'],
        ['event-distribution', `/events/${ladder}?kind=distribution`],
        ['market', `/markets/${market.ticker}`],
        ['compare', `/compare?market=${market.ticker}&market=GENRATE-NEXT-HOLD`],
        ['compare-one', `/compare?market=${market.ticker}`],
        ['exports', '/exports'],
        ['export', `/exports/${id}`],
        ['export-wizard', `/exports/new?event=${market.event_ticker}`],
        ['cart', '/cart'],
        ['plan', '/plan'],
        ['keys', '/keys'],
        ['webhooks', '/webhooks'],
        ['reference', '/docs'],
        ['reference-of-exports', '/docs?operation=createExport'],
        ['no-such-screen', '/nowhere'],
        ['no-such-market', '/markets/NEVER'],
      ];
    });
    for (const view of views) {
      it(`has no fault, fits and is accessible at ${view.width} px, ${view.theme}`, async () => {
        const visitor = await harness.signedIn(key, view);
        const found: string[] = [];
        for (const [name, path] of screens) {
          await visitor.open(path);
          await settled(visitor.page);
          found.push(...(await viewFaults(visitor.page, name, view)));
        }
        assert.deepEqual(found, []);
        await closeFaultless(visitor);
      });
    }

    it('is used by keyboard alone: from the sign-in to a new key', async () => {
      const { page, open, close } = await harness.visit();
      await open('/keys');
      await page.getByLabel('API key').waitFor();
      const press = async (name: string | RegExp, keyName = 'Enter'): Promise<void> => {
        const target = page.getByRole('button', { name }).or(page.getByRole('link', { name })).first();
        await tabTo(target);
        await page.keyboard.press(keyName);
      };
      const tabTo = async (target: ReturnType<typeof page.locator>): Promise<void> => {
        for (let tabs = 0; tabs < 60; tabs += 1) {
          if (await target.evaluate((element) => element === document.activeElement)) return;
          await page.keyboard.press('Tab');
        }
        assert.fail(`the keyboard does not reach ${String(target)}`);
      };
      await tabTo(page.getByLabel('API key'));
      await page.keyboard.type(key);
      await page.keyboard.press('Enter');
      await page.getByRole('navigation', { name: 'Screens' }).waitFor();
      await press('Plan and usage');
      await page.getByRole('heading', { name: 'Plan and usage' }).waitFor();
      await press('Keys');
      await tabTo(page.getByLabel('Name', { exact: true }));
      await page.keyboard.type('by keyboard');
      await page.keyboard.press('Enter');
      await page.locator('[data-secret]').waitFor();
      await press('I have stored it');
      const row = page.getByRole('row', { name: 'by keyboard' });
      await tabTo(row.getByRole('button', { name: 'Revoke' }));
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
      await row.getByText('revoked', { exact: true }).waitFor();
      await close();
    });

    it('begins with a tour of the first visit, which stays closed', async () => {
      const { page, open, close } = await harness.visit({ tour: true });
      await open('/');
      await page.getByLabel('API key').fill(key);
      await page.keyboard.press('Enter');
      const tour = page.getByRole('complementary', { name: 'Tour of two minutes' });
      await tour.waitFor();
      assert.deepEqual(await accessFaults(page), []);
      for (let step = 0; step < 4; step += 1) await tour.getByRole('button', { name: 'Next' }).click();
      await tour.getByRole('button', { name: 'Done' }).click();
      await page.reload();
      await page.getByRole('navigation', { name: 'Screens' }).waitFor();
      assert.equal(await tour.count(), 0);
      await close();
    });

    it('has a bar of five on a phone, and the other screens behind the last of them', async () => {
      const { page, open, close } = await harness.signedIn(key, { width: 360 });
      await open('/markets');
      await settled(page);
      const bar = page.getByRole('navigation', { name: 'Screens' });
      const shown = await bar.locator('a:visible, button:visible').allInnerTexts();
      assert.deepEqual(shown, ['Home', 'Browse', 'Markets', 'Coverage', 'More']);
      assert.equal(await bar.evaluate((element) => element.scrollWidth - element.clientWidth), 0);
      const more = bar.getByRole('button', { name: 'More' });
      await more.click();
      await bar.getByRole('link', { name: 'Webhooks' }).waitFor();
      assert.deepEqual(await accessFaults(page), []);
      await page.keyboard.press('Escape');
      await bar.getByRole('link', { name: 'Webhooks' }).waitFor({ state: 'hidden' });
      assert.ok(await more.evaluate((element) => element === document.activeElement));
      await more.click();
      await bar.getByRole('link', { name: 'Plan and usage' }).click();
      await page.getByRole('heading', { name: 'Plan and usage' }).waitFor();
      await bar.getByRole('link', { name: 'Webhooks' }).waitFor({ state: 'hidden' });
      await close();
    });

    it('says that the server does not answer while the gateway is away, and comes back by itself', async () => {
      const { page, open, close } = await harness.signedIn(key);
      await open('/plan');
      await settled(page);
      await harness.running.system.kill('gateway');
      try {
        // Its file is not loaded yet.
        await page.getByRole('link', { name: 'Cart' }).click();
        await page.locator('[data-state="offline"]').first().waitFor({ timeout: 120_000 });
        assert.deepEqual(await accessFaults(page), []);
      } finally {
        await harness.running.system.restart('gateway');
      }
      await page.getByLabel('Event', { exact: true }).waitFor({ timeout: 120_000 });
      await page.locator('[data-state="offline"]').first().waitFor({ state: 'detached', timeout: 120_000 });
      await close();
    });

    it('says that a frozen server does not answer, and goes on when it does', async () => {
      const { page, open, close } = await harness.signedIn(key);
      await open('/markets');
      await settled(page);
      const { pid } = harness.running.system.services.get('gateway') ?? assert.fail('no gateway');
      const goOn = await suspendProcess(pid);
      try {
        await page.getByRole('link', { name: 'Plan and usage' }).click();
        await page.locator('.banner[data-state="offline"]').waitFor({ timeout: 30_000 });
      } finally {
        goOn();
      }
      await page.getByRole('heading', { name: 'Plan and usage' }).waitFor({ timeout: 120_000 });
      await page.locator('[data-state="offline"]').first().waitFor({ state: 'detached', timeout: 120_000 });
      await close();
    });
  });
};
