import type { Page } from 'playwright-core';
import type { Drawn } from './charts.js';

interface ChartElement extends Element {
  drawn?: () => Drawn;
}

/** The milliseconds from a click on a link to a market until its chart is painted. The console is already loaded. */
export const openMarketMs = (page: Page, ticker: string): Promise<number> =>
  page.evaluate(
    async ({ market, path }) => {
      const startedAt = performance.now();
      // What a link of the console does.
      history.pushState(null, '', path);
      const isDrawn = (): boolean => {
        const chart = document.querySelector<ChartElement>('[data-chart="price"]');
        const shown = document.querySelector('.crumbs code')?.textContent;
        return shown === market && (chart?.drawn?.().ts.length ?? 0) > 0;
      };
      while (!isDrawn()) await new Promise(requestAnimationFrame);
      // The chart is drawn in this frame, and painted before the next one.
      await new Promise(requestAnimationFrame);
      return performance.now() - startedAt;
    },
    { market: ticker, path: `/console/markets/${encodeURIComponent(ticker)}` },
  );

export interface Panning {
  readonly seconds: number;
  /** What is moved. An empty page has no chart. */
  readonly selector: string;
}

/** Frames a second while the wheel moves a chart to and fro, in each frame. */
export const framesASecond = (page: Page, panning: Panning): Promise<number> =>
  page.evaluate(async ({ seconds, selector }) => {
    const target = document.querySelector(selector) ?? document.body;
    const { left, top } = target.getBoundingClientRect();
    const place = { clientX: left + 300, clientY: top + 50, bubbles: true, cancelable: true };
    const startedAt = performance.now();
    let frames = 0;
    for (; performance.now() < startedAt + seconds * 1_000; frames += 1) {
      const deltaX = Math.floor(frames / 40) % 2 === 0 ? 12 : -12;
      target.dispatchEvent(new WheelEvent('wheel', { ...place, deltaX }));
      target.dispatchEvent(new MouseEvent('mousemove', { ...place, clientX: left + 300 + (frames % 50) }));
      await new Promise(requestAnimationFrame);
    }
    return (frames / (performance.now() - startedAt)) * 1_000;
  }, panning);

interface Answer {
  readonly start_ts: number;
  readonly end_ts: number;
}

/** Candles in the form of the API. It answers with at most 5,000: more come from here. */
const manyCandles = ({ start_ts, end_ts }: Answer, count: number): readonly object[] =>
  Array.from({ length: count }, (_, at) => {
    const tsOf = (place: number): number => start_ts + ((end_ts - start_ts) / count) * place;
    const bid = (20 + ((at * 37) % 41) + ((at >> 6) % 17)) / 100;
    const flat = (value: number) => ({ open: value, high: value, low: value, close: value });
    const [ask, mid] = [bid + 0.02, bid + 0.01].map((value) => flat(Math.round(value * 100) / 100));
    const prices = { yes_bid: flat(bid), yes_ask: ask, mid, coin_price: flat(65_000 + (at % 211)), price: null };
    const sums = { volume: at % 3, trades: null, observations: 1 };
    return { start_ts: tsOf(at), end_ts: tsOf(at + 1), ...prices, ...sums };
  });

/** Opens a market whose chart draws this many points, and zooms in a little, so that it can be moved. */
export const openManyPoints = async (page: Page, ticker: string, points: number): Promise<void> => {
  const candlesOf = /\/candles\?points=\d+$/;
  await page.route(candlesOf, async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as Answer;
    const json = { ...answer, count: points, candles: manyCandles(answer, points), has_more: false };
    await route.fulfill({ response, json: { ...json, next_start_ts: null } });
  });
  // What is in sight is read again when the chart rests, and would be drawn in the place of the many points.
  await page.route(/\/candles\?.*start_ts=/, () => undefined);
  await page.goto(`/console/markets/${encodeURIComponent(ticker)}`);
  const plot = page.locator('[data-chart="price"] .u-over');
  await plot.waitFor();
  await plot.evaluate((element) => {
    const { left, top, width } = element.getBoundingClientRect();
    const place = { clientX: left + width / 2, clientY: top + 50, bubbles: true, cancelable: true };
    element.dispatchEvent(new WheelEvent('wheel', { ...place, ctrlKey: true, deltaY: -80 }));
  });
};

/** The points in sight. */
export const pointsInSight = (page: Page): Promise<number> =>
  page.locator('[data-chart="price"]').evaluate((element) => {
    const drawn = (element as ChartElement).drawn?.();
    if (drawn === undefined) return 0;
    const { ts, series, window } = drawn;
    // A point without values ends a line where a gap begins.
    const hasValues = (at: number): boolean => Object.values(series).some((values) => typeof values[at] === 'number');
    return ts.filter((time, at) => time >= window.from && time <= window.to && hasValues(at)).length;
  });
