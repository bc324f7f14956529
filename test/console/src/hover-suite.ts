import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { apiClient } from '@almanac/test-e2e';
import type { Page } from 'playwright-core';
import { closeFaultless, type ConsoleHarness, type ConsolePage, settled } from './console.js';
import { finishedMarket } from './finished-market.js';

export const describeHover = (console: () => ConsoleHarness): void => {
  describe('the pointer over a chart', () => {
    let visitor: ConsolePage;
    let page: Page;
    let ticker = '';
    before(async () => {
      const harness = console();
      const key = await harness.running.key('full_book');
      ({ ticker } = await finishedMarket(apiClient(harness.base, key)));
      visitor = await harness.signedIn(key);
      ({ page } = visitor);
      await page.addInitScript(countDrawings);
    });
    after(() => closeFaultless(visitor));

    it('moves the cursor over a market, and draws no chart', async () => {
      await visitor.open(`/markets/${ticker}`);
      assert.deepEqual(await drawnByHover(page, 'price'), []);
    });

    it('moves the cursor over the heatmap of an event, and draws no chart', async () => {
      await visitor.open('/events/WIDE-E?kind=heatmap');
      assert.deepEqual(await drawnByHover(page, 'heatmap'), []);
    });
  });
};

/** The methods by which charts draw. */
interface Counting {
  drawings?: string[];
}

/** Notes each drawing on a canvas of the page. */
const countDrawings = (): void => {
  const counting = globalThis as Counting;
  counting.drawings = [];
  const canvas = CanvasRenderingContext2D.prototype;
  for (const name of ['fillRect', 'clearRect', 'fillText', 'stroke', 'drawImage'] as const) {
    const draw = canvas[name] as (...args: unknown[]) => void;
    Reflect.set(canvas, name, function (this: CanvasRenderingContext2D, ...args: unknown[]) {
      counting.drawings?.push(name);
      return Reflect.apply(draw, this, args);
    });
  }
};

/** Moves the pointer through a chart, and returns what was drawn until the cursor is in the address. */
const drawnByHover = async (page: Page, name: string): Promise<string[]> => {
  const plot = page.locator(`[data-chart="${name}"] .u-over`);
  await plot.waitFor();
  await settled(page);
  // Coverage and the prices of the table come last.
  await page.waitForLoadState('networkidle');
  const box = (await plot.boundingBox()) ?? assert.fail('no chart');
  const moveTo = (share: number): Promise<void> =>
    page.mouse.move(box.x + box.width * share, box.y + box.height * (0.3 + share / 3));
  const inAddress = (known: string | null): Promise<unknown> =>
    page.waitForFunction((at) => new URL(location.href).searchParams.get('at') !== at, known);
  // The browser reports the first movement on a page as one by nothing.
  await moveTo(0.18);
  await moveTo(0.2);
  await inAddress(null);
  const known = new URL(page.url()).searchParams.get('at');
  assert.ok((await drawingsOf(page)).length > 100, 'no drawing was noted');
  for (let share = 0.3; share < 0.8; share += 0.02) await moveTo(share);
  await inAddress(known);
  return drawingsOf(page);
};

/** What was drawn since the last time. */
const drawingsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => (globalThis as Counting).drawings?.splice(0) ?? []);
