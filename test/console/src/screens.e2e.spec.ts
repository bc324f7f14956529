import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { marketsResponse } from '@almanac/contracts';
import { storeGeneratedArchive } from '@almanac/system';
import { apiClient, poll } from '@almanac/test-e2e';
import { exportResponse } from '@almanac/contracts';
import {
  accessFaults,
  type ConsoleHarness,
  excessWidth,
  picture,
  settled,
  startConsole,
  themes,
  widths,
} from './console.js';
import { arabic, importOddMarkets, markup } from './odd-markets.js';

const long = 'A very long title '.repeat(28).trim();
const oddMarkets = [markup, arabic, long].map((title, at) => ({
  ticker: `KXODD-26-M${at}`,
  event_ticker: 'KXODD-26',
  title,
}));

describe('each screen of the console', () => {
  let harness: ConsoleHarness;
  let key = '';
  let screens: readonly (readonly [string, string])[] = [];
  before(async () => {
    harness = await startConsole();
    await storeGeneratedArchive(harness.running.system, Math.floor(Date.now() / 1_000));
    await importOddMarkets(harness, oddMarkets);
    key = await harness.running.key('pro');
    const api = apiClient(harness.base, key);
    const { markets } = await api.json(marketsResponse, '/markets?series=GENBTC15M&status=finalized&limit=1');
    const [market] = markets;
    const body = JSON.stringify({ ticker: market?.ticker, format: 'csv' });
    const { id } = await api.json(exportResponse, '/exports', { method: 'POST', body });
    await poll(
      () => api.json(exportResponse, `/exports/${id}`),
      ({ status }) => status === 'ready',
    );
    const hook = { url: 'https://example.org/hook', events: ['export.ready'] };
    await api.send('/webhooks', { method: 'POST', body: JSON.stringify(hook) });
    await api.send('/cart/event-exports', { method: 'POST', body: JSON.stringify({ event: 'KXODD-26' }) });
    screens = [
      ['browse', '/'],
      ['markets', '/markets'],
      ['odd-titles', '/events/KXODD-26'],
      ['market-without-data', '/markets/KXODD-26-M0'],
      ['event', `/events/${market?.event_ticker}`],
      ['market', `/markets/${market?.ticker}`],
      ['exports', '/exports'],
      ['export', `/exports/${id}`],
      ['export-wizard', `/exports/new?event=${market?.event_ticker}`],
      ['cart', '/cart'],
      ['plan', '/plan'],
      ['keys', '/keys'],
      ['webhooks', '/webhooks'],
      ['no-such-screen', '/nowhere'],
      ['no-such-market', '/markets/NEVER'],
    ];
  });
  after(() => harness.stop());

  for (const width of widths) {
    for (const theme of themes) {
      it(`has no fault, fits and is accessible at ${width} px, ${theme}`, async () => {
        const { page, faults, open, context } = await harness.signedIn(key, { width, theme });
        const found: string[] = [];
        for (const [name, path] of screens) {
          await open(path);
          await settled(page);
          await picture(page, `${name}-${width}-${theme}`);
          for (const fault of await accessFaults(page)) found.push(`${name}: ${fault}`);
          const excess = await excessWidth(page);
          if (excess > 0) found.push(`${name} is ${excess} px too wide`);
        }
        assert.deepEqual([...found, ...faults], []);
        await context.close();
      });
    }
  }

  it('shows markup in titles as text', async () => {
    const { page, faults, open, context } = await harness.signedIn(key);
    for (const path of [
      '/markets/KXODD-26-M0',
      '/events/KXODD-26',
      '/exports/new?event=KXODD-26',
      '/cart',
      '/markets',
    ]) {
      await open(path);
      await settled(page);
      assert.doesNotMatch(await page.title(), /^hacked$/, path);
      assert.equal(await page.locator('img[src="x"]').count(), 0, path);
    }
    await open('/markets/KXODD-26-M0');
    await page.getByText(markup).first().waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  it('is used by keyboard alone: from the sign-in to a new key', async () => {
    const { page, open, context } = await harness.visit();
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
    await context.close();
  });

  it('begins with a tour of the first visit, which stays closed', async () => {
    const { page, open, context } = await harness.visit({ tour: true });
    await open('/');
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    const tour = page.getByRole('complementary', { name: 'Tour of two minutes' });
    await tour.waitFor();
    await picture(page, 'tour-1440-light');
    assert.deepEqual(await accessFaults(page), []);
    for (let step = 0; step < 4; step += 1) await tour.getByRole('button', { name: 'Next' }).click();
    await tour.getByRole('button', { name: 'Done' }).click();
    await page.reload();
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
    assert.equal(await tour.count(), 0);
    await context.close();
  });

  it('says that the server does not answer while the gateway is away, and comes back by itself', async () => {
    const { page, open, context } = await harness.signedIn(key);
    await open('/plan');
    await settled(page);
    await harness.running.system.kill('gateway');
    try {
      // Its file is not loaded yet.
      await page.getByRole('link', { name: 'Cart' }).click();
      await page.locator('[data-state="offline"]').first().waitFor({ timeout: 120_000 });
      await picture(page, 'offline-1440-light');
      assert.deepEqual(await accessFaults(page), []);
    } finally {
      await harness.running.system.restart('gateway');
    }
    await page.getByLabel('Event', { exact: true }).waitFor({ timeout: 120_000 });
    await page.locator('[data-state="offline"]').first().waitFor({ state: 'detached', timeout: 120_000 });
    await context.close();
  });
});
