import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { marketsResponse, qualityResponse, seriesResponse } from '@almanac/contracts';
import { type ApiClient, apiClient } from '@almanac/test-e2e';
import { eventually } from '@almanac/testing';
import type { Page } from 'playwright-core';
import { closeFaultless, type ConsoleHarness, type ConsolePage, settled } from './console.js';

export const describeHome = (console: () => ConsoleHarness): void => {
  describe('the home of the console', () => {
    let harness: ConsoleHarness;
    let api: ApiClient;
    let key = '';
    let visitor: ConsolePage;
    let page: Page;
    before(async () => {
      harness = console();
      key = await harness.running.key('full_book');
      api = apiClient(harness.base, key);
      visitor = await harness.signedIn(key);
      ({ page } = visitor);
    });
    after(() => closeFaultless(visitor));
    const card = (name: string) => page.getByRole('region', { name, exact: true });
    const openHome = async (): Promise<void> => {
      await visitor.open('/');
      await settled(page);
    };

    it('has the size of the archive as the API states it', async () => {
      await openHome();
      const { markets_n, events_n, series_n } = await api.json(seriesResponse, '/series?limit=1');
      const figure = async (name: string): Promise<number> =>
        Number((await page.locator(`[data-figure="${name}"] dd`).innerText()).replaceAll(',', ''));
      assert.deepEqual(
        [await figure('Markets'), await figure('Events'), await figure('Series')],
        [markets_n, events_n, series_n],
      );
      const { markets: live } = await api.json(marketsResponse, '/markets?status=live&from_ts=0&limit=200');
      assert.equal(await figure('Live now'), live.length);
    });

    it('lists what closed last and what closes next, in the order of their closes', async () => {
      const { markets } = await api.json(marketsResponse, `/markets?from_ts=0&limit=200`);
      const now = Date.now() / 1_000;
      const eventsOf = (past: boolean): string[] => [
        ...new Set(
          markets
            .filter(({ close_ts }) => close_ts !== null && close_ts <= now === past)
            .toSorted((one, other) => (past ? -1 : 1) * ((one.close_ts ?? 0) - (other.close_ts ?? 0)))
            .map(({ event_ticker: event, ticker }) => event ?? ticker),
        ),
      ];
      const shown = async (name: string): Promise<string[]> => {
        await card(name).getByRole('listitem').first().waitFor();
        const paths = await card(name)
          .getByRole('link')
          .evaluateAll((links) => links.map((link) => new URL((link as HTMLAnchorElement).href).pathname));
        const tickers = paths.map((path) => decodeURIComponent(path.split('/').at(-1) ?? ''));
        return tickers.map((one) => markets.find(({ ticker }) => ticker === one)?.event_ticker ?? one);
      };
      // Of events that close at the same time, the order is not stated.
      const last = await shown('Newest recordings');
      assert.equal(last.length, 6);
      assert.deepEqual(new Set(last), new Set(eventsOf(true).slice(0, 6)));
      const next = await shown('Next resolutions');
      assert.deepEqual(new Set(next), new Set(eventsOf(false).slice(0, next.length)));
      const closes = next.map(
        (event) => markets.find((one) => (one.event_ticker ?? one.ticker) === event)?.close_ts ?? 0,
      );
      assert.deepEqual(
        closes,
        closes.toSorted((one, other) => one - other),
      );
      assert.ok(next.length >= 2);
    });

    it('has the calendar of a category with the figures of the API, and leads to the markets of a day', async () => {
      await page.getByLabel('Calendar of').selectOption('crypto');
      await page.locator('[data-target="crypto"] [data-day]').first().waitFor();
      const days = await page
        .locator('[data-day]')
        .evaluateAll((found) => found.map((day) => day.dataset['day'] ?? ''));
      assert.equal(days.length, 31);
      const range = `from=${days[0]}&to=${days.at(-1)}`;
      const { periods } = await api.json(
        qualityResponse,
        `/quality?category=crypto&${range}&by=day&sort=time&limit=31`,
      );
      const shown = await page.locator('[data-day] .day-gaps').allInnerTexts();
      assert.deepEqual(
        shown,
        periods.map(({ gaps_n }) => (gaps_n === 0 ? '' : `▲ ${gaps_n}`)),
      );
      const at = periods.findIndex(({ gaps_n }) => gaps_n > 0);
      await page.locator(`[data-day="${days[at]}"]`).click();
      await page.getByRole('region', { name: `Markets of ${days[at]}, the worst first` }).waitFor();
      await page.goBack();
      await page.locator('[data-day]').first().waitFor();
    });

    it('keeps in this browser what a person watches and has viewed, with last prices, and not for another key', async () => {
      const ticker = 'GENRATE-NEXT-HOLD';
      await visitor.open('/events/GENRATE-NEXT');
      await settled(page);
      await visitor.open(`/markets/${ticker}`);
      await settled(page);
      await page.getByRole('button', { name: 'Watch' }).click();
      assert.equal(await page.getByRole('button', { name: 'Watch' }).getAttribute('aria-pressed'), 'true');
      await openHome();
      const row = card('Watchlist').getByRole('listitem');
      await row
        .getByText(/^0\.\d+$/)
        .first()
        .waitFor();
      assert.match(await row.innerText(), /0\.\d+ \/ 0\.\d+/);
      const recent = await card('Recently viewed').getByRole('listitem').allInnerTexts();
      assert.deepEqual(
        recent.map((text) => text.trim().split('\n').at(-1)),
        ['market', 'event'],
      );
      const stored = await page.evaluate(() => JSON.stringify(localStorage));
      assert.ok(!stored.includes(key));
      await row.getByRole('button', { name: `Stop watching ${ticker}` }).click();
      await card('Watchlist').getByText('Nothing is watched yet').waitFor();
      await page.reload();
      await card('Watchlist').getByText('Nothing is watched yet').waitFor();
      await card('Recently viewed').getByRole('link').first().click();
      await page.waitForURL(`**/console/markets/${ticker}`);
      await signedInWithAnotherKey();
    });

    it('keeps what two tabs of one browser store at the same time, and shows it in both', async () => {
      const tickers = ['GENRATE-NEXT-HOLD', 'GENRATE-NEXT-CUT25'] as const;
      const own = await harness.running.key('full_book');
      const tabs = [await harness.signedIn(own), await harness.signedIn(own)] as const;
      for (const [at, tab] of tabs.entries()) {
        await tab.open(`/markets/${tickers[at]}`);
        await settled(tab.page);
      }
      for (const tab of tabs) await tab.page.getByRole('button', { name: 'Watch' }).click();
      const linksOf = (tab: ConsolePage, list: string): Promise<string[]> =>
        tab.page
          .getByRole('region', { name: list, exact: true })
          .getByRole('link')
          .evaluateAll((links) =>
            links.map((link) => new URL((link as HTMLAnchorElement).href).pathname.split('/').at(-1) ?? '').toSorted(),
          );
      for (const tab of tabs) {
        await tab.page.getByRole('link', { name: 'Almanac', exact: true }).click();
        for (const list of ['Watchlist', 'Recently viewed'])
          await eventually(async () => assert.deepEqual(await linksOf(tab, list), tickers.toSorted()));
      }
      const [first, second] = tabs;
      await first.page.getByRole('button', { name: `Stop watching ${tickers[0]}` }).click();
      for (const tab of tabs)
        await eventually(async () => assert.deepEqual(await linksOf(tab, 'Watchlist'), [tickers[1]]));
      await second.page.getByRole('button', { name: 'Theme: system. Change' }).click();
      await first.page.getByRole('button', { name: 'Theme: light. Change' }).waitFor();
      await first.page.evaluate(() => localStorage.clear());
      await second.page.getByText('Nothing is watched yet').waitFor();
      await second.page.getByRole('button', { name: 'Theme: system. Change' }).waitFor();
      for (const tab of tabs) await closeFaultless(tab);
    });

    const signedInWithAnotherKey = async (): Promise<void> => {
      const headers = { Authorization: `Bearer ${await harness.running.key('pro')}` };
      const response = await visitor.context.request.post('/auth/session', { headers });
      assert.ok(response.ok());
      await openHome();
      await card('Recently viewed').getByText('Markets, events and series that you open').waitFor();
    };
  });
};
