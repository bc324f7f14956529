import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { storeArchive } from '@almanac/operator';
import { eventually } from '@almanac/testing';
import { liveTicker } from './archive.js';
import { drawnBy } from './charts.js';
import { accessFaults, type ConsoleHarness, closeFaultless as done, setVisibility, settled } from './console.js';

const sizes = [10, 20, 30, 40, 50, 10, 20, 30, 40, 50];

export const describeLive = (console: () => ConsoleHarness): void => {
  describe('a market that is followed', () => {
    let harness: ConsoleHarness;
    let key = '';
    before(async () => {
      harness = console();
      key = await harness.running.key('full_book');
    });
    /** What a capture would store now. */
    const observe = (bidCents: number): Promise<unknown> => {
      const second = Math.floor(Date.now() / 1_000);
      const row = { ticker: liveTicker, series: 'LIVE', second, bidCents, askCents: bidCents + 2 };
      return storeArchive(harness.running.system, { facts: [], rows: [{ ...row, coinPrice: null, sizes }] });
    };

    it('shows new prices in its chart, its header and its book, with their age', async () => {
      const visitor = await harness.signedIn(key);
      const { page, open } = visitor;
      await open(`/markets/${liveTicker}`);
      await settled(page);
      const opened = await drawnBy(page, 'price');
      await page.getByRole('button', { name: 'Live' }).click();
      await page.waitForURL(/live=on/);
      await observe(71);
      await page.locator('.last-price', { hasText: '0.72' }).waitFor();
      await page.locator('[data-lag]', { hasText: /data of \d+ s ago/ }).waitFor();
      await page.getByRole('region', { name: 'Order book' }).getByText('0.71').first().waitFor();
      await eventually(async () => {
        // As a capture does: the window moves with what follows.
        await observe(71);
        const { series, window } = await drawnBy(page, 'price');
        assert.equal(
          series['mid']?.findLast((value) => value !== null),
          0.72,
        );
        assert.ok(window.to > opened.window.to);
      });
      assert.deepEqual(await accessFaults(page), []);
      // A link shows it as it is.
      await page.reload();
      await page.locator('[data-live="on"]').waitFor();
      await done(visitor);
    });

    it('keeps what somebody looks at in sight', async () => {
      const visitor = await harness.signedIn(key);
      const { page, open } = visitor;
      await open(`/markets/${liveTicker}`);
      await settled(page);
      const { window } = await drawnBy(page, 'price');
      const [from, to] = [Math.floor(window.from) + 300, Math.floor(window.from) + 900];
      await open(`/markets/${liveTicker}?live=on&from=${from}&to=${to}`);
      await settled(page);
      await observe(61);
      await page.locator('.last-price', { hasText: '0.62' }).waitFor();
      assert.deepEqual((await drawnBy(page, 'price')).window, { from, to });
      await done(visitor);
    });

    it('sends one request in 5 s while nothing is new, and none while its tab is hidden', async () => {
      const visitor = await harness.signedIn(key);
      const { page, open } = visitor;
      await page.clock.install();
      await open(`/markets/${liveTicker}?live=on`);
      await page.locator('[data-live="on"]').waitFor();
      await settled(page);
      const requested: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes('/api/')) requested.push(request.url());
      });
      const polled = (): Promise<unknown> => page.waitForResponse(/\/snapshots\?.*start_ts=/);
      // The charts have an end, too.
      const isOther = (url: string): boolean => !url.includes('/snapshots?') || url.includes('end_ts=');
      // The first answer is new to the screen, and the present moves every 30 s. So not each round is calm, but most are.
      let calm = 0;
      for (let round = 0; round < 20 && calm < 3; round += 1) {
        const from = requested.length;
        await Promise.all([polled(), page.clock.runFor(5_100)]);
        await settled(page);
        calm = requested.slice(from).some(isOther) ? 0 : calm + 1;
      }
      assert.equal(calm, 3, requested.join('\n'));
      await setVisibility(page, 'hidden');
      // What was being sent needs the clock, too.
      await page.clock.runFor(1_000);
      const sent = requested.length;
      await page.clock.runFor(120_000);
      // The charts may still read what the last answer moved.
      const polls = requested.slice(sent).filter((url) => !isOther(url));
      assert.deepEqual(polls, []);
      await Promise.all([polled(), setVisibility(page, 'visible')]);
      await done(visitor);
    });

    it('is offered for no market that has closed, and for no time of the past', async () => {
      const visitor = await harness.signedIn(key);
      const { page, open } = visitor;
      for (const path of [
        '/markets/ONE-E-M?live=on',
        `/markets/${liveTicker}?live=on&as_of=${Math.floor(Date.now() / 1_000)}`,
      ]) {
        await open(path);
        await settled(page);
        assert.equal(await page.locator('[data-live]').count(), 0, path);
      }
      await done(visitor);
    });
  });
};
