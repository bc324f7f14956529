// Opens 2,000 markets hundreds of times, which takes minutes. Its speeds are remarks: the machine may be busy.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storeArchive } from '@almanac/operator';
import type { Page } from 'playwright-core';
import { drawnBy } from './charts.js';
import { settled, useConsole } from './console.js';

const marketsN = 2_000;
const observationsN = 60;
const zooms = 50;
const visits = 200;
const measureS = 5;
const mb = 1024 * 1024;
const openS = 1_771_990_000;
const tickerOf = (at: number): string => `VAST-E-${String(at).padStart(4, '0')}`;

const archive = {
  facts: [
    { kind: 'series' as const, id: 'VAST' },
    ...Array.from({ length: marketsN }, (_, at) => ({
      kind: 'market' as const,
      ticker: tickerOf(at),
      event_ticker: 'VAST-E',
      series: 'VAST',
      title: `Above ${at}?`,
      floor_strike: String(at),
      strike_type: 'greater',
      open_us: openS * 1e6,
      close_us: (openS + 6_000) * 1e6,
      result: 'yes',
      capture: 'top' as const,
    })),
  ],
  rows: Array.from({ length: marketsN * observationsN }, (_, at) => ({
    ticker: tickerOf(Math.floor(at / observationsN)),
    series: 'VAST',
    second: openS + (at % observationsN) * 100,
    bidCents: 5 + ((Math.floor(at / observationsN) * 7 + (at % observationsN)) % 85),
    askCents: 8 + ((Math.floor(at / observationsN) * 7 + (at % observationsN)) % 85),
    coinPrice: null,
    sizes: null,
  })),
};

describe(`an event of ${marketsN} markets`, () => {
  const shared = useConsole();

  it('is drawn as a heatmap, moves with the pointer, and does not grow by zooms and visits', async (test) => {
    const harness = shared();
    await storeArchive(harness.running.system, archive);
    const { page, context, faults } = await harness.signedIn(await harness.running.key('internal'));
    const debug = await context.newCDPSession(page);
    const used = async (): Promise<number> => {
      await settled(page);
      await debug.send('HeapProfiler.collectGarbage');
      return (await debug.send('Runtime.getHeapUsage')).usedSize;
    };
    const times = await loadingOf(page, harness.base);
    test.diagnostic(`Remark: ${JSON.stringify(times)}`);
    test.diagnostic(`Remark: ${await speedsOf(page)}`);
    const start = await used();
    for (let zoom = 0; zoom < zooms; zoom += 1) {
      await page.getByRole('button', { name: zoom % 2 === 0 ? 'Zoom in' : 'Whole life' }).click();
      await settled(page);
    }
    // What was read of a part is dropped after 5 s.
    await page.waitForFunction((until) => Date.now() > until, Date.now() + 6_000);
    const zoomed = await used();
    test.diagnostic(`Remark: ${inMb(start)} MB of scripts, ${inMb(zoomed)} after ${zooms} zooms`);
    assert.ok(zoomed - start < 15 * mb, `${inMb(start)} MB, ${inMb(zoomed)} MB`);
    const visit = async (count: number): Promise<void> => {
      for (let at = 0; at < count; at += 1) {
        await goTo(page, at % 2 === 0 ? '/events/VAST-E?kind=heatmap' : '/keys');
        await settled(page);
      }
    };
    await visit(20);
    const before = await used();
    await visit(visits);
    const after = await used();
    test.diagnostic(`Remark: ${inMb(before)} MB of scripts, ${inMb(after)} after ${visits} visits`);
    assert.ok(after - before < 10 * mb, `${inMb(before)} MB, ${inMb(after)} MB`);
    assert.deepEqual(faults, []);
  });
});

const inMb = (bytes: number): string => (bytes / mb).toFixed(1);

/** What a link of the console does. */
const goTo = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => history.pushState(null, '', `/console${to}`), path);

/** Seconds from the click on a link: to the frame of the chart, the first prices, all prices, and everything. */
const loadingOf = async (page: Page, base: string): Promise<Record<string, string>> => {
  await page.goto(`${base}/console/keys`);
  await settled(page);
  await page.mouse.move(300, 300);
  await page.waitForLoadState('networkidle');
  const startedAt = Date.now();
  const seconds = (): string => ((Date.now() - startedAt) / 1_000).toFixed(2);
  await goTo(page, '/events/VAST-E?kind=heatmap');
  const pricedN = async (): Promise<number> => {
    const { series } = await drawnBy(page, 'heatmap');
    return Object.values(series).filter((prices) => prices.some((price) => price !== null)).length;
  };
  const until = async (least: number): Promise<string> => {
    // Each look copies all prices, so many of them would delay what they wait for.
    while ((await pricedN()) < least) await page.waitForTimeout(250);
    return seconds();
  };
  const first = await until(1);
  const all = await until(marketsN);
  await settled(page);
  return { first, all, settled: seconds() };
};

/** Beside an empty page, which has the frames that this machine can draw now. */
const speedsOf = async (page: Page): Promise<string> => {
  const empty = await page.context().newPage();
  const reference = await framesASecond(empty, 'hover');
  await empty.close();
  await page.bringToFront();
  const [hover, pan] = [await framesASecond(page, 'hover'), await framesASecond(page, 'pan')];
  const [ofHover, ofPan, ofEmpty] = [hover, pan, reference].map((rate) => rate.toFixed(1));
  return `frames/s: ${ofHover} hovered, ${ofPan} panned, ${ofEmpty} of an empty page`;
};

/** Frames a second while the pointer moves over the chart, or the wheel moves it. */
const framesASecond = (page: Page, moves: 'hover' | 'pan'): Promise<number> =>
  page.evaluate(
    async ({ kind, lengthS }) => {
      const target = document.querySelector('[data-chart="heatmap"] .u-over') ?? document.body;
      const { left, top, width, height } = target.getBoundingClientRect();
      const zoomIn = new WheelEvent('wheel', {
        clientX: left + width / 2,
        clientY: top + 50,
        ctrlKey: true,
        deltaY: -300,
        bubbles: true,
        cancelable: true,
      });
      if (kind === 'pan') target.dispatchEvent(zoomIn);
      const startedAt = performance.now();
      let frames = 0;
      for (; performance.now() < startedAt + lengthS * 1_000; frames += 1) {
        const [clientX, clientY] = [
          left + 20 + ((frames * 7) % (width - 40)),
          top + 20 + ((frames * 3) % (height - 40)),
        ];
        const place = { clientX, clientY, bubbles: true, cancelable: true };
        if (kind === 'pan')
          target.dispatchEvent(
            new WheelEvent('wheel', { ...place, deltaX: Math.floor(frames / 40) % 2 === 0 ? 12 : -12 }),
          );
        target.dispatchEvent(new MouseEvent('mousemove', place));
        await new Promise(requestAnimationFrame);
      }
      return (frames / (performance.now() - startedAt)) * 1_000;
    },
    { kind: moves, lengthS: measureS },
  );
