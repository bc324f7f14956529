import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { candlesResponse, marketsResponse } from '@almanac/contracts';
import { type ApiClient, apiClient } from '@almanac/test-e2e';
import type { Page } from 'playwright-core';
import { type Drawn, drawnBy } from './charts.js';
import { closeFaultless, type ConsoleHarness, type ConsolePage, settled } from './console.js';

const points = 900;

/** The value that holds at a time: that of the last one at or before it. */
const heldAt = ({ ts, series }: Drawn, name: string, at: number): number | null =>
  series[name]?.[ts.findLastIndex((time) => time <= at)] ?? null;

export const describeCompare = (console: () => ConsoleHarness): void => {
  describe('the comparison of two markets', () => {
    let api: ApiClient;
    let visitor: ConsolePage;
    let page: Page;
    let ladder: readonly string[] = [];
    let rolling: readonly { readonly ticker: string; readonly close_ts: number | null }[] = [];
    before(async () => {
      const harness = console();
      const key = await harness.running.key('full_book');
      api = apiClient(harness.base, key);
      const steps = await api.json(marketsResponse, '/markets?series=GENBTCH&status=finalized&limit=9');
      ladder = steps.markets.map(({ ticker }) => ticker);
      rolling = (await api.json(marketsResponse, '/markets?series=GENBTC15M&status=finalized&limit=2')).markets;
      visitor = await harness.signedIn(key);
      ({ page } = visitor);
    });
    after(() => closeFaultless(visitor));
    const address = (first: string, second: string, more = ''): string =>
      `/compare?market=${encodeURIComponent(first)}&market=${encodeURIComponent(second)}${more}`;
    const midsOf = async (ticker: string): Promise<readonly (readonly [number, number | null])[]> => {
      const { candles } = await api.json(candlesResponse, `/markets/${ticker}/candles?points=${points}`);
      return candles.map(({ start_ts, mid }) => [start_ts, mid?.close ?? null]);
    };

    it('begins at a market, finds the other one by its title, and draws both with the numbers of the API', async () => {
      const [first = '', second = ''] = ladder;
      await visitor.open(`/markets/${first}`);
      await settled(page);
      await page.getByRole('link', { name: 'Compare', exact: true }).last().click();
      await page.waitForURL(`**/console/compare?market=${first}`);
      // What is like the first one is offered before anything is typed.
      await page.getByRole('combobox', { name: 'Second market' }).click();
      await page.getByRole('option').first().waitFor();
      await page.getByRole('combobox', { name: 'Second market' }).fill(second);
      await page.getByRole('option').filter({ hasText: second }).first().click();
      await page.locator('[data-chart="compare"]').waitFor();
      await settled(page);
      assert.deepEqual(new URL(page.url()).searchParams.getAll('market'), [first, second]);
      const drawn = await drawnBy(page, 'compare');
      const difference = await drawnBy(page, 'difference');
      assert.deepEqual(Object.keys(drawn.series), [first, second]);
      const [one, other] = [await midsOf(first), await midsOf(second)];
      assert.ok(one.length > 50);
      for (const [ticker, mids] of [[first, one] as const, [second, other] as const])
        for (const [ts, mid] of mids) if (mid !== null) assert.equal(heldAt(drawn, ticker, ts), mid, `${ticker} ${ts}`);
      const others = new Map(other);
      const both = one.flatMap(([ts, mid]) => {
        const against = others.get(ts) ?? null;
        return mid === null || against === null ? [] : [[ts, Math.round((mid - against) * 1e8) / 1e8] as const];
      });
      assert.ok(both.length > 50);
      for (const [ts, value] of both) assert.equal(heldAt(difference, 'difference', ts), value, String(ts));
    });

    it('has both values and their difference at the cursor, restores it from the address, and swaps the markets', async () => {
      const [first = '', second = ''] = ladder;
      const mids = new Map(await midsOf(second));
      const [at = 0, mid = 0] =
        (await midsOf(first)).filter(([ts, value]) => value !== null && mids.get(ts) != null)[20] ?? [];
      const against = mids.get(at) ?? 0;
      await visitor.open(address(first, second, `&at=${at}`));
      await settled(page);
      await page.locator(`[data-legend="${at}"]`).waitFor();
      const shown = await page.locator('.compare-legend tbody tr td:last-child').allInnerTexts();
      assert.deepEqual(shown.map(Number), [mid, against]);
      const difference = page.locator('[data-difference]');
      const expected = Math.round(((mid ?? 0) - (against ?? 0)) * 1e8) / 1e8;
      assert.equal(Number(await difference.getAttribute('data-difference')), expected);
      await page.getByRole('button', { name: 'Swap the markets' }).click();
      await page.waitForFunction(
        (ticker) => new URL(location.href).searchParams.getAll('market')[0] === ticker,
        second,
      );
      await settled(page);
      assert.deepEqual(Object.keys((await drawnBy(page, 'compare')).series), [second, first]);
      await page.goBack();
      await page.locator(`[data-legend="${at}"]`).waitFor();
    });

    it('draws markets of two days as if they closed together, and says so', async () => {
      const [first, second] = rolling;
      assert.ok(first !== undefined && second !== undefined);
      const shift = (first.close_ts ?? 0) - (second.close_ts ?? 0);
      await visitor.open(address(first.ticker, second.ticker));
      await settled(page);
      await page.getByRole('button', { name: 'Align closes' }).click();
      await page.getByText('the second market is drawn').waitFor();
      await settled(page);
      assert.equal(new URL(page.url()).searchParams.get('align'), 'close');
      const drawn = await drawnBy(page, 'compare');
      // The chart chooses the period for its width.
      const period = Math.min(...drawn.ts.slice(1).map((ts, at) => ts - (drawn.ts[at] ?? 0)));
      const { candles } = await api.json(candlesResponse, `/markets/${second.ticker}/candles?period_s=${period}`);
      assert.ok(candles.length > 50);
      for (const { start_ts, mid } of candles)
        if (mid !== null) assert.equal(heldAt(drawn, second.ticker, start_ts + shift), mid.close, String(start_ts));
    });

    it('is opened by Ctrl K from the screen of a market, and by its name from any other', async () => {
      const [first = ''] = ladder;
      await visitor.open(`/markets/${first}`);
      await settled(page);
      await page.keyboard.press('Control+k');
      await page.keyboard.type('compare this');
      await page.getByRole('option', { name: 'Compare this market with another' }).click();
      await page.waitForURL(`**/console/compare?market=${first}`);
      await page.getByText('One more market').waitFor();
      await visitor.open('/plan');
      await settled(page);
      await page.keyboard.press('Control+k');
      await page.keyboard.type('comp');
      await page.getByRole('option', { name: 'go to Compare', exact: true }).click();
      await page.getByText('No market is chosen').waitFor();
    });

    it('says of a market that the archive does not have that there is none', async () => {
      await visitor.open(address(ladder[0] ?? '', 'NEVER'));
      await page.locator('[data-state="error"]').waitFor();
    });
  });
};
