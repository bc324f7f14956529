import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventSnapshotsResponse, marketsResponse } from '@almanac/contracts';
import { type ApiClient, apiClient } from '@almanac/test-e2e';
import type { Page, Request } from 'playwright-core';
import type { z } from 'zod';
import { wideN, wideTicker } from './archive.js';
import { drawnBy, pixelAt } from './charts.js';
import { closeFaultless, type ConsoleHarness, type ConsolePage, settled } from './console.js';

type Snapshots = z.output<typeof eventSnapshotsResponse>;

const middle = (bid: number | null, ask: number | null): number | null =>
  bid === null || ask === null ? (bid ?? ask) : Math.round(((bid + ask) / 2) * 1e8) / 1e8;

export const describeEvents = (console: () => ConsoleHarness): void => {
  describe('the charts of all markets of an event', () => {
    let api: ApiClient;
    let visitor: ConsolePage;
    let page: Page;
    let event = '';
    before(async () => {
      const harness = console();
      const key = await harness.running.key('full_book');
      api = apiClient(harness.base, key);
      const { markets } = await api.json(marketsResponse, '/markets?series=GENBTCH&status=finalized&limit=1');
      event = markets[0]?.event_ticker ?? '';
      visitor = await harness.signedIn(key);
      ({ page } = visitor);
    });
    after(() => closeFaultless(visitor));
    /** What the API has for the times of a chart. */
    const answerOf = (ts: readonly number[]): Promise<Snapshots> => {
      const step = Math.round(((ts[1] ?? 0) - (ts[0] ?? 0)) * 1_000);
      const window = `start_ts=${ts[0]}&end_ts=${(ts.at(-1) ?? 0) + 1e-3}&step_ms=${step}`;
      return api.json(eventSnapshotsResponse, `/events/${event}/snapshots?${window}`);
    };
    const pricesOf = ({ markets }: Snapshots, at: number): Map<string, number | null> =>
      new Map(markets.map((one) => [one.ticker, middle(one.yes_best_bid[at] ?? null, one.yes_best_ask[at] ?? null)]));

    it('are a heatmap beside the lines, whose cells have the prices of the API, in the order of the strikes', async () => {
      await visitor.open(`/events/${event}`);
      await settled(page);
      await page.getByRole('button', { name: 'Heatmap' }).click();
      await page.locator('[data-chart="heatmap"]').waitFor();
      await settled(page);
      assert.equal(new URL(page.url()).searchParams.get('kind'), 'heatmap');
      const { ts, series } = await drawnBy(page, 'heatmap');
      const { cells, ...rows } = series;
      assert.ok(cells?.every((value) => value === null));
      const answer = await answerOf(ts);
      assert.deepEqual(Object.keys(rows).toSorted(), answer.markets.map(({ ticker }) => ticker).toSorted());
      for (const at of [0, Math.floor(ts.length / 2), ts.length - 1])
        for (const [ticker, price] of pricesOf(answer, at)) assert.equal(rows[ticker]?.[at] ?? null, price, ticker);
      const strikes = Object.keys(rows).map((ticker) => Number(ticker.split('-T')[1]));
      assert.deepEqual(
        strikes,
        strikes.toSorted((one, other) => one - other),
      );
      // The lowest strike is the most probable, and darker than the highest one.
      const at = Math.floor(ts.length / 2);
      const [low] = await pixelAt(page, 'heatmap', { ts: ts[at] ?? 0, value: 0.5 });
      const [high] = await pixelAt(page, 'heatmap', { ts: ts[at] ?? 0, value: strikes.length - 0.5 });
      assert.ok((low?.[0] ?? 255) < (high?.[0] ?? 0), JSON.stringify([low, high]));
    });

    it('names the market under the pointer with its price, and are restored from the address', async () => {
      await page.reload();
      await page.locator('[data-chart="heatmap"]').waitFor();
      await settled(page);
      const box = (await page.locator('[data-chart="heatmap"] .u-over').boundingBox()) ?? assert.fail('no chart');
      await page.mouse.move(box.x + box.width / 2 - 4, box.y + box.height - 5);
      await page.mouse.move(box.x + box.width / 2, box.y + box.height - 6);
      const named = page.locator('[data-lifted]');
      await named.waitFor();
      const { series } = await drawnBy(page, 'heatmap');
      const [, first] = Object.keys(series);
      assert.equal(await named.getAttribute('data-lifted'), first);
      const cell = page
        .locator('[data-kind="ladder"] .rows .row')
        .filter({ hasText: first ?? '' })
        .locator('.cell-cursor');
      assert.equal(await named.locator('dd').innerText(), await cell.innerText());
    });

    it('are the distribution that the ladder implies, whose median follows from the prices of the API', async () => {
      await page.getByRole('button', { name: 'Distribution' }).click();
      await page.locator('[data-chart="distribution"]').waitFor();
      await settled(page);
      const { ts, series } = await drawnBy(page, 'distribution');
      const answer = await answerOf(ts);
      let compared = 0;
      ts.forEach((time, at) => {
        const rungs = [...pricesOf(answer, at)]
          .flatMap(([ticker, price]) => (price === null ? [] : [[Number(ticker.split('-T')[1]), price] as const]))
          .toSorted(([one], [other]) => one - other);
        let least = 1;
        const shares = rungs.map(([strike, price]) => [strike, (least = Math.min(least, price))] as const);
        const next = shares.findIndex(([, share]) => share <= 0.5);
        const [above, below] = [shares[next - 1], shares[next]];
        const median = series['median']?.[at] ?? null;
        if (above === undefined || below === undefined) return;
        const expected = above[0] + ((above[1] - 0.5) / (above[1] - below[1])) * (below[0] - above[0]);
        assert.ok(median !== null && Math.abs(median - expected) < 0.01, `${time}: ${median}, not ${expected}`);
        compared += 1;
      });
      assert.ok(compared > 100, String(compared));
      assert.ok((series['coin'] ?? []).filter((value) => value !== null).length > 100);
      await page.locator('.readout').getByText('80 % between').waitFor();
    });

    it('has no distribution without a ladder', async () => {
      await visitor.open('/events/GENRATE-NEXT?kind=distribution');
      await settled(page);
      await page.locator('[data-chart="event"]').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Distribution' }).count(), 0);
    });

    it(`draws an event of ${wideN} markets as a heatmap, with all their prices, and never asks twice`, async () => {
      const ladder = requestsOf(page, '/events/WIDE-E?limit=400');
      const prices = requestsOf(page, '/events/WIDE-E/snapshots?');
      const recorded = requestsOf(page, '/quality?event=WIDE-E');
      await visitor.open('/events/WIDE-E?kind=heatmap');
      await page.getByText(`${wideN} of`).waitFor();
      await settled(page);
      const { series } = await drawnBy(page, 'heatmap');
      assert.equal(Object.keys(series).length, wideN + 1);
      assert.equal(
        series[wideTicker(wideN - 1)]?.findLast((price) => price !== null),
        0.42,
      );
      // Each answer has at most 400 markets, or the prices of 100.
      assert.equal(ladder.urls.length, Math.ceil(wideN / 400), ladder.urls.join('\n'));
      assert.equal(prices.urls.length, wideN / 100, prices.urls.join('\n'));
      assert.equal(new Set(prices.urls).size, prices.urls.length);
      assert.ok(prices.mostAtOnce() > 1 && prices.mostAtOnce() <= 4, String(prices.mostAtOnce()));
      // What is recorded is known of each market, and not of the first 200.
      assert.equal(recorded.urls.length, Math.ceil(wideN / 200), recorded.urls.join('\n'));
      await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
      const last = page.getByRole('row').filter({ hasText: wideTicker(wideN - 1) });
      await last.locator('.cell-recorded svg').waitFor();
    });

    it('say so where what is recorded cannot be read, and read it again', async () => {
      await page.route('**/quality?event=*', (route) =>
        route.fulfill({ status: 500, json: { detail: 'A mistake.', code: 'internal' } }),
      );
      await visitor.open('/events/GENRATE-NEXT');
      const failure = page.locator('[data-state="error"]');
      await failure.waitFor();
      await page.unroute('**/quality?event=*');
      await failure.getByRole('button', { name: 'Try again' }).click();
      await failure.waitFor({ state: 'detached' });
      await page.locator('.cell-recorded svg').first().waitFor();
    });
  });
};

/** The requests of a page from now on whose address has this part, and how many of them ran at once. */
const requestsOf = (page: Page, part: string) => {
  const urls: string[] = [];
  const running = new Set<Request>();
  let most = 0;
  page.on('request', (request) => {
    if (!request.url().includes(part)) return;
    urls.push(request.url());
    running.add(request);
    most = Math.max(most, running.size);
  });
  const end = (request: Request): void => void running.delete(request);
  page.on('requestfinished', end).on('requestfailed', end);
  return { urls, mostAtOnce: () => most };
};
