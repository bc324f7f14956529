import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { apiClient } from '@almanac/test-e2e';
import type { CDPSession, Page } from 'playwright-core';
import { drawnBy } from './charts.js';
import { closeFaultless, type ConsoleHarness, type ConsolePage, excessWidth, settled } from './console.js';
import { finishedMarket } from './finished-market.js';

type Touch = readonly [x: number, y: number];

export const describeTouch = (console: () => ConsoleHarness): void => {
  describe('the console on a tablet', () => {
    let visitor: ConsolePage;
    let page: Page;
    let fingers: CDPSession;
    let ticker = '';
    before(async () => {
      const harness = console();
      const key = await harness.running.key('full_book');
      ({ ticker } = await finishedMarket(apiClient(harness.base, key)));
      visitor = await harness.signedIn(key, { width: 768 });
      ({ page } = visitor);
      fingers = await visitor.context.newCDPSession(page);
    });
    after(() => closeFaultless(visitor));

    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touches: readonly Touch[]) =>
      fingers.send('Input.dispatchTouchEvent', { type, touchPoints: touches.map(([x, y], id) => ({ x, y, id })) });
    /** Moves fingers over the plot of the price, from shares of its width to others. */
    const move = async (starts: readonly number[], ends: readonly number[]): Promise<void> => {
      const box = (await page.locator('[data-chart="price"] .u-over').boundingBox()) ?? assert.fail('no chart');
      const at = (share: number): Touch => [box.x + share * box.width, box.y + box.height / 2];
      await send('touchStart', starts.map(at));
      for (let step = 1; step <= 8; step += 1)
        await send(
          'touchMove',
          starts.map((start, finger) => at(start + (((ends[finger] ?? start) - start) * step) / 8)),
        );
      await send('touchEnd', []);
    };
    const windowNow = async () => (await drawnBy(page, 'price')).window;
    const lengthOf = ({ from, to }: { readonly from: number; readonly to: number }): number => to - from;

    it('zooms a chart into where two fingers part, and out where they meet', async () => {
      await visitor.open(`/markets/${ticker}`);
      await settled(page);
      assert.equal(await excessWidth(page), 0);
      const whole = await windowNow();
      await move([0.45, 0.55], [0.25, 0.75]);
      await page.waitForFunction(() => new URL(location.href).searchParams.has('from'));
      const near = await windowNow();
      const share = lengthOf(near) / lengthOf(whole);
      assert.ok(share > 0.1 && share < 0.4, String(share));
      const middle = (near.from + near.to) / 2;
      assert.ok(Math.abs(middle - (whole.from + whole.to) / 2) < lengthOf(whole) * 0.05, String(middle));
      await move([0.2, 0.8], [0.4, 0.6]);
      await page.waitForFunction((from) => Number(new URL(location.href).searchParams.get('from')) < from, near.from);
      assert.ok(lengthOf(await windowNow()) > lengthOf(near) * 1.5);
    });

    it('moves a chart along with one finger, and the page with a finger that goes up', async () => {
      const start = await windowNow();
      await move([0.7], [0.4]);
      await page.waitForFunction((from) => Number(new URL(location.href).searchParams.get('from')) > from, start.from);
      const later = await windowNow();
      assert.ok(Math.abs(lengthOf(later) - lengthOf(start)) < 1);
      const moved = (later.from - start.from) / lengthOf(start);
      assert.ok(Math.abs(moved - 0.3) < 0.1, String(moved));
      const box = (await page.locator('[data-chart="price"] .u-over').boundingBox()) ?? assert.fail('no chart');
      const [x, y] = [box.x + box.width / 2, box.y + box.height - 20];
      await send('touchStart', [[x, y]]);
      for (let step = 1; step <= 10; step += 1) await send('touchMove', [[x, y - step * 20]]);
      await send('touchEnd', []);
      await page.waitForFunction(() => window.scrollY > 50);
      assert.deepEqual(await windowNow(), later);
    });

    it('puts the cursor where a finger taps', async () => {
      await visitor.open(`/markets/${ticker}`);
      await settled(page);
      const box = (await page.locator('[data-chart="price"] .u-over').boundingBox()) ?? assert.fail('no chart');
      await page.touchscreen.tap(box.x + box.width / 4, box.y + 60);
      await page.waitForFunction(() => new URL(location.href).searchParams.has('at'));
      const { from, to } = await windowNow();
      const at = Number(new URL(page.url()).searchParams.get('at'));
      assert.ok(Math.abs((at - from) / (to - from) - 0.25) < 0.02, String(at));
    });

    it('chooses the kind of a chart and opens what is in a list by a tap', async () => {
      await page.getByRole('button', { name: 'Candles' }).tap();
      await page.getByText(/candles? of/).waitFor();
      await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Markets' }).tap();
      await page.locator('[data-kind="markets"] .rows a').first().tap();
      await page.locator('.crumbs code').waitFor();
    });
  });
};
