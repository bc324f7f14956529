import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { qualityResponse } from '@almanac/contracts';
import { type ApiClient, apiClient } from '@almanac/test-e2e';
import type { Page } from 'playwright-core';
import { closeFaultless, type ConsoleHarness, type ConsolePage, settled } from './console.js';

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const [yesterday, today] = [dayOf(Date.now() - 86_400_000), dayOf(Date.now())];
const days = `from=${yesterday}&to=${today}`;

export const describeCoverage = (console: () => ConsoleHarness): void => {
  describe('the calendar of coverage', () => {
    let api: ApiClient;
    let visitor: ConsolePage;
    let page: Page;
    const requests: string[] = [];
    before(async () => {
      const harness = console();
      const key = await harness.running.key('full_book');
      api = apiClient(harness.base, key);
      visitor = await harness.signedIn(key);
      ({ page } = visitor);
      page.on('request', (request) => {
        const { pathname, search } = new URL(request.url());
        if (pathname.endsWith('/quality') && pathname.startsWith('/api')) requests.push(search);
      });
    });
    after(() => closeFaultless(visitor));

    const dayButton = (day: string) => page.locator(`[data-day="${day}"]`);

    it('has the figures of the API for each day, with one request', async () => {
      requests.length = 0;
      await visitor.open(`/quality?series=GENBTC15M&${days}`);
      await settled(page);
      await dayButton(yesterday).waitFor();
      assert.equal(requests.length, 1);
      const { periods } = await api.json(qualityResponse, `/quality?series=GENBTC15M&${days}&by=day&sort=time`);
      assert.ok(periods.some(({ gaps_n }) => gaps_n > 0));
      for (const { start_ts, gaps_n, markets_n } of periods) {
        const button = dayButton(dayOf(start_ts * 1_000));
        const gaps = await button.locator('.day-gaps').innerText();
        assert.equal(gaps, gaps_n === 0 ? '' : `▲ ${gaps_n}`);
        assert.match((await button.getAttribute('title')) ?? '', markets_n === 0 ? /no market/ : /recorded|states/);
      }
    });

    it('opens a day by keyboard: its markets, worst first with their gaps, in the address and with one request', async () => {
      requests.length = 0;
      await dayButton(today).focus();
      await page.keyboard.press('ArrowLeft');
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-day')), yesterday);
      await page.keyboard.press('Enter');
      const table = page.getByRole('region', { name: `Markets of ${yesterday}, the worst first` }).getByRole('table');
      await table.waitFor();
      assert.equal(requests.length, 1);
      assert.equal(new URL(page.url()).searchParams.get('day'), yesterday);
      const { markets } = await api.json(
        qualityResponse,
        `/quality?series=GENBTC15M&from=${yesterday}&to=${yesterday}`,
      );
      assert.deepEqual(
        await table.locator('tbody code').allInnerTexts(),
        markets.map(({ ticker }) => ticker),
      );
      const [worst] = markets;
      assert.ok(worst !== undefined && worst.gaps.length > 0);
      const row = table.locator('tbody tr').first();
      assert.match(await row.innerText(), new RegExp(worst.gaps[0]?.reason ?? 'no gap'));
      await row.getByRole('link').click();
      await page.waitForURL(`**/console/markets/${worst.ticker}`);
      await page.goBack();
      await table.waitFor();
      assert.equal(await dayButton(yesterday).getAttribute('aria-pressed'), 'true');
    });

    it('is chosen by a form, moves to other days, and says what the archive does not have', async () => {
      await visitor.open('/quality');
      await settled(page);
      await page.getByText('No target is chosen').waitFor();
      await page.getByLabel('Of a').selectOption('venue');
      await page.getByLabel('Id of the venue').fill('generated');
      await page.getByRole('button', { name: 'Show' }).click();
      await dayButton(today).waitFor();
      assert.equal(new URL(page.url()).searchParams.get('venue'), 'generated');
      await page.getByRole('button', { name: 'Earlier days' }).click();
      await page.getByText('No market was open in these days').waitFor();
      await visitor.open('/quality?venue=generatd');
      await page.getByRole('link', { name: 'generated' }).click();
      await dayButton(today).waitFor();
    });

    it('is beside a filter of the list of markets by their recording', async () => {
      await visitor.open('/markets');
      await settled(page);
      await page.getByLabel('Recording').selectOption('complete');
      await page.waitForURL('**/markets?recording=complete');
      await settled(page);
      await page.locator('[data-kind="markets"]').waitFor();
      const shown = await page.locator('[data-kind="markets"] .cell-title code').allInnerTexts();
      assert.ok(shown.length > 0);
      const { markets } = await api.json(qualityResponse, `/quality?venue=generated&${days}&limit=200`);
      const covered = new Map(markets.map(({ ticker, covered_share: share }) => [ticker, share]));
      for (const ticker of shown) if (covered.has(ticker)) assert.equal(covered.get(ticker), 1, ticker);
    });
  });
};
