import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { bookResponse, candlesResponse, eventSnapshotsResponse } from '@almanac/contracts';
import { type ApiClient, apiClient } from '@almanac/test-e2e';
import type { Page } from 'playwright-core';
import { drawnBy, pixelAt } from './charts.js';
import { closeFaultless, type ConsoleHarness, type ConsolePage, settled } from './console.js';
import { finishedMarket } from './finished-market.js';

const bodyShare = 0.7;

export const describeCharts = (console: () => ConsoleHarness): void => {
  describe('the charts of a market and of an event', () => {
    let harness: ConsoleHarness;
    let api: ApiClient;
    let visitor: ConsolePage;
    let page: Page;
    let ticker = '';
    let openTs = 0;
    before(async () => {
      harness = console();
      const key = await harness.running.key('full_book');
      api = apiClient(harness.base, key);
      const market = await finishedMarket(api);
      ({ ticker } = market);
      openTs = market.open_ts ?? 0;
      visitor = await harness.signedIn(key);
      ({ page } = visitor);
      await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    });
    after(() => closeFaultless(visitor));

    const inAddress = (name: string): string | null => new URL(page.url()).searchParams.get(name);
    const addressHas = (name: string, has = true): Promise<unknown> =>
      page.waitForFunction(([one, is]) => new URL(location.href).searchParams.has(one) === is, [name, has] as const);
    /** Moves the pointer over the price chart, between shares of its width. */
    const drag = async (from: number, to: number): Promise<void> => {
      const box = (await page.locator('[data-chart="price"] .u-over').boundingBox()) ?? assert.fail('no chart');
      await page.mouse.move(box.x + from * box.width, box.y + 40);
      await page.mouse.down();
      await page.mouse.move(box.x + to * box.width, box.y + 60, { steps: 4 });
      await page.mouse.up();
    };
    const widthOf = (seconds: number): Promise<number> =>
      page.locator('[data-chart="price"]').evaluate((element, span) => {
        const { pixelOf } = element as Element & { pixelOf?: (ts: number, value: number) => readonly number[] };
        const [[start = 0], [end = 0]] = [pixelOf?.(0, 0) ?? [], pixelOf?.(span, 0) ?? []];
        return (end - start) / devicePixelRatio;
      }, seconds);

    it('begins within the first 200 pixels on each width, below the last price with its age', async () => {
      for (const width of [1_440, 360] as const) {
        await page.setViewportSize({ width, height: 900 });
        await visitor.open(`/markets/${ticker}`);
        await settled(page);
        const top = await page.locator('[data-chart="price"]').evaluate((chart) => chart.getBoundingClientRect().top);
        assert.ok(top < 200, `${top} px at ${width} px`);
        const quote = await page.getByRole('group', { name: 'Price and times' }).innerText();
        assert.match(quote, /^0\.\d+, (\d+ (d|h|min|s) ?)+ago/);
        assert.match(quote, /finalized/);
      }
      await page.setViewportSize({ width: 1_440, height: 900 });
    });

    it('shows all times of the screen in the zone of the browser, and again in UTC', async () => {
      await visitor.open(`/markets/${ticker}`);
      await settled(page);
      await page.getByRole('button', { name: 'Times in UTC' }).click();
      await page.getByRole('button', { name: /Times in Local/ }).waitFor();
      await settled(page);
      const offset = await page.evaluate(() => new Date().getTimezoneOffset());
      const shown = await page.locator('.readout dd').first().innerText();
      assert.match(shown, offset === 0 ? /\+00:00$/ : /[+-]\d\d:\d\d$/);
      await page.getByRole('button', { name: /Times in Local/ }).click();
      await page.getByRole('button', { name: 'Times in UTC' }).waitFor();
    });

    it('selects a time by dragging, zooms by the wheel, and shows all by a double click', async () => {
      await visitor.open(`/markets/${ticker}`);
      await settled(page);
      const whole = (await drawnBy(page, 'price')).window;
      await drag(0.25, 0.5);
      await addressHas('from');
      const chosen = (await drawnBy(page, 'price')).window;
      const share = (chosen.to - chosen.from) / (whole.to - whole.from);
      assert.ok(Math.abs(share - 0.25) < 0.02, String(share));
      await page.mouse.wheel(0, -300);
      await page.waitForFunction((from) => Number(new URL(location.href).searchParams.get('from')) > from, chosen.from);
      await settled(page);
      const coin = (await drawnBy(page, 'coin')).window;
      const { window: zoomed } = await drawnBy(page, 'price');
      assert.deepEqual(coin, zoomed);
      assert.ok(zoomed.to - zoomed.from < chosen.to - chosen.from);
      await page.locator('[data-chart="price"] .u-over').dblclick();
      await addressHas('from', false);
      assert.deepEqual((await drawnBy(page, 'price')).window, whole);
    });

    it('draws candles of the API whose bodies are at least 5 pixels wide, in finer periods after a zoom', async () => {
      await visitor.open(`/markets/${ticker}`);
      await settled(page);
      await page.getByRole('button', { name: 'Candles' }).click();
      await page.getByText(/candles of/).waitFor();
      await settled(page);
      const periods: number[] = [];
      for (const zooms of [0, 1, 2]) {
        if (zooms > 0) await page.getByRole('button', { name: 'Zoom in' }).click();
        await addressHas('from', zooms > 0);
        await settled(page);
        const { ts, series } = await drawnBy(page, 'price');
        const period = Math.min(...ts.slice(1).map((time, at) => time - (ts[at] ?? 0)));
        const candles = new Map(
          (
            await api.json(
              candlesResponse,
              `/markets/${ticker}/candles?period_s=${period}&start_ts=${ts[0]}&end_ts=${(ts.at(-1) ?? 0) + period}`,
            )
          ).candles.map((candle) => [candle.start_ts, candle.mid]),
        );
        ts.forEach((time, at) => {
          const { high = null, low = null, close = null } = candles.get(time) ?? {};
          assert.deepEqual(
            ['high', 'low', 'close'].map((name) => series[name]?.[at]),
            [high, low, close],
            String(time),
          );
        });
        assert.ok((await widthOf(period)) * bodyShare >= 5, `${period} s`);
        periods.push(period);
      }
      assert.ok((periods[2] ?? 0) < (periods[0] ?? 0), periods.join(' '));
      assert.equal(inAddress('kind'), 'candles');
    });

    it('restores range, kind and cursor from the address: by a reload, by Back and from a copied link', async () => {
      const [from, to, at] = [openTs + 120, openTs + 420, openTs + 200];
      await visitor.open(`/markets/${ticker}?kind=candles&from=${from}&to=${to}&at=${at}&y=full`);
      const isRestored = async (): Promise<void> => {
        await settled(page);
        const { window, series } = await drawnBy(page, 'price');
        assert.deepEqual([window.from, window.to, Object.keys(series)], [from, to, ['high', 'low', 'close']]);
        await page.locator(`[data-readout="${at}"]`).waitFor();
        await page.locator(`[data-book-ts="${at}"]`).waitFor();
        assert.equal(await page.getByRole('button', { name: '0–1' }).getAttribute('aria-pressed'), 'true');
      };
      await isRestored();
      await page.reload();
      await isRestored();
      await page.getByRole('button', { name: 'Copy link' }).click();
      const link = await page.evaluate(() => navigator.clipboard.readText());
      await page.getByRole('navigation', { name: 'Parents' }).getByRole('link').first().click();
      await page.waitForURL('**/console/series/**');
      await page.goBack();
      await isRestored();
      await page.goto(link);
      await isRestored();
    });

    it('has the book at the same moment as the cursor, mirrored around its spread, with all levels', async () => {
      await visitor.open(`/markets/${ticker}`);
      await settled(page);
      const moment = Number(await page.locator('[data-readout]').getAttribute('data-readout'));
      await page.locator(`[data-book-ts="${moment}"]`).waitFor();
      await page.locator('[data-chart="price"] [role="slider"]').focus();
      await page.keyboard.press('Home');
      await page.locator('.stack-line').waitFor({ state: 'visible' });
      // The line can be drawn a frame before the readout.
      const moved = page.locator(`[data-readout]:not([data-readout="${moment}"])`);
      const at = Number(await moved.getAttribute('data-readout'));
      await page.locator(`[data-book-ts="${at}"]`).waitFor();
      const { orderbook_yes: yes, orderbook_no: no } = await api.json(
        bookResponse,
        `/markets/${ticker}/book?at_ts=${at}`,
      );
      const sides = await page
        .locator('.ladder tbody tr')
        .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-side') ?? 'spread'));
      assert.deepEqual(sides, [...(no ?? []).map(() => 'ask'), 'spread', ...(yes ?? []).map(() => 'bid')]);
    });

    it('draws the books at the prices and times of their levels, and nothing between them', async () => {
      await visitor.open(`/markets/${ticker}?from=${openTs + 60}&to=${openTs + 240}&y=full`);
      await settled(page);
      await page.locator('[data-depth]').waitFor();
      const at = openTs + 150.5;
      const { orderbook_yes: yes } = await api.json(bookResponse, `/markets/${ticker}/book?at_ts=${at}`);
      // Away from the lines of the best prices.
      const [level] = yes?.at(-1) ?? assert.fail('no bids');
      const drawn = await pixelAt(page, 'price', { ts: at, value: level });
      assert.ok(
        drawn.some(([red, green, , alpha]) => alpha > 0 && green > red),
        JSON.stringify(drawn),
      );
      const below = await pixelAt(page, 'price', { ts: at, value: level - 0.045 });
      assert.ok(!below.some(([red, green, , alpha]) => alpha > 0 && green > red + 20), JSON.stringify(below));
    });

    it('saves what is drawn as PNG, SVG and CSV, with its title and source', async () => {
      await visitor.open(`/markets/${ticker}?from=${openTs + 60}&to=${openTs + 240}`);
      await settled(page);
      const save = async (name: string): Promise<Buffer> => {
        await page.getByText('Save', { exact: true }).click();
        const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
        return readFile(await file.path());
      };
      const title = await page.locator('h1').innerText();
      assert.equal((await save('Picture (PNG)')).subarray(1, 4).toString(), 'PNG');
      const svg = (await save('Picture (SVG)')).toString();
      assert.ok(
        svg.includes(`<title>${title}</title>`) && svg.includes(ticker) && svg.includes('<rect '),
        svg.slice(0, 600),
      );
      // Outside of the console, whose policy refuses to parse texts.
      const reader = await visitor.context.newPage();
      const isSvg = (text: string): boolean =>
        new DOMParser().parseFromString(text, 'image/svg+xml').querySelector('parsererror') === null;
      assert.ok(await reader.evaluate(isSvg, svg));
      await reader.close();
      const [titleLine, sourceLine = '', head = '', ...rows] = (await save('Numbers (CSV)'))
        .toString()
        .trim()
        .split('\n');
      assert.equal(titleLine, `# ${title}`);
      assert.match(sourceLine, new RegExp(ticker));
      const { ts, series } = await drawnBy(page, 'price');
      const place = head.split(',').indexOf('bid');
      const bids = new Map(rows.map((row) => [Number(row.split(',')[0]), row.split(',')[place]]));
      assert.ok(bids.size > 10);
      for (const [time, bid] of bids) assert.equal(Number(bid), series['bid']?.[ts.indexOf(time)], String(time));
    });

    it('shows in lists the last prices of which a gap hides the present, and says so', async () => {
      await visitor.open('/markets?q=GENRATE');
      await settled(page);
      const row = page.locator('[data-kind="markets"] .rows .row').filter({ hasText: 'GENRATE-NEXT-HOLD' });
      const bid = row.locator('.cell-bid .old');
      await bid.waitFor();
      const { candles } = await api.json(candlesResponse, '/markets/GENRATE-NEXT-HOLD/candles?points=10');
      const last = candles.findLast(({ yes_bid }) => yes_bid.close !== null)?.yes_bid.close;
      assert.equal(Number(await bid.innerText()), last);
      assert.match((await bid.getAttribute('title')) ?? '', /^Last known by .* UTC, before a gap$/);
    });

    it('adds up the prices of an event, shades its gaps, and has the prices at the cursor in its table', async () => {
      const event = 'GENRATE-NEXT';
      await visitor.open(`/events/${event}`);
      await settled(page);
      const midsAt = async (time: number): Promise<number[]> => {
        // The event is live, so its times can be others than those of the page before.
        const { ts: grid } = await drawnBy(page, 'sum');
        const step = Math.round(((grid[1] ?? 0) - (grid[0] ?? 0)) * 1_000);
        const window = `start_ts=${grid[0]}&end_ts=${(grid.at(-1) ?? 0) + 1e-3}&step_ms=${step}`;
        const { markets } = await api.json(eventSnapshotsResponse, `/events/${event}/snapshots?${window}`);
        const at = grid.findLastIndex((one) => one <= time);
        return markets.map(({ yes_best_bid: bid, yes_best_ask: ask }) => ((bid[at] ?? 0) + (ask[at] ?? 0)) / 2);
      };
      const { ts, series } = await drawnBy(page, 'sum');
      const at = Math.floor(ts.length / 2);
      const expected = (await midsAt(ts[at] ?? 0)).reduce((total, mid) => total + mid, 0);
      assert.ok(Math.abs(Number(series['sum']?.[at]) - expected) < 1e-6);
      await visitor.open(`/events/${event}?at=${ts[at]}`);
      await settled(page);
      const cells = await page.locator('[data-kind="ladder"] .rows .cell-cursor').allInnerTexts();
      assert.deepEqual(
        cells.map(Number),
        (await midsAt(ts[at] ?? 0)).map((mid) => Number(mid.toFixed(8))),
      );
      // The recording ends before now.
      const lastTs = ts[(series['sum'] ?? []).findLastIndex((sum) => sum !== null)] ?? 0;
      const { window: shown } = await drawnBy(page, 'event');
      const gap = await pixelAt(page, 'event', { ts: (lastTs + shown.to) / 2, value: 0.45 });
      assert.ok(
        gap.every(([, , , alpha]) => alpha > 0),
        JSON.stringify(gap),
      );
    });
  });
};
