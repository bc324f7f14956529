import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { eventually } from '@almanac/testing';
import type { Page, Request } from 'playwright-core';
import {
  alertVisitor,
  begunOf,
  factOf,
  forgetAlerts,
  isIdle,
  liveMarkets,
  nextRound,
  rowOf,
  setByForm,
  spanOf,
  storedIn,
  waitForAll,
} from './alerts.js';
import { closeFaultless as done, type ConsoleHarness, type ConsolePage, settled } from './console.js';

const manyN = 50;
const roundS = 10;

interface Requested {
  /** Rounds that looked at the last observations of all markets. */
  readonly lookedN: number;
  /** What else the alerts have asked of markets. */
  readonly others: readonly string[];
}

/**
 * What a page asks during this many rounds, and those that begin meanwhile: on a busy machine, its clock goes on for longer. Only
 * alerts ask for markets on a screen that has none.
 */
const roundsOf = async (page: Page, count: number): Promise<Requested> => {
  const requested: string[] = [];
  const note = (request: Request): void => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/v1/markets')) requested.push(pathname);
  };
  const clockS = (): Promise<number> => page.evaluate(() => Date.now() / 1_000);
  await isIdle(page);
  const startedAt = await clockS();
  page.on('request', note);
  for (let round = 0; round < count; round += 1) await nextRound(page);
  page.off('request', note);
  const lookedN = requested.filter((path) => path.endsWith('/markets/at')).length;
  const seconds = (await clockS()) - startedAt;
  assert.ok(lookedN >= count && lookedN <= seconds / roundS + 1, `${lookedN} rounds in ${seconds} s`);
  return { lookedN, others: requested.filter((path) => !path.endsWith('/markets/at')) };
};

export const describeAlertRounds = (console: () => ConsoleHarness): void => {
  describe('the prices of alerts', () => {
    let harness: ConsoleHarness;
    let key = '';
    let markets: ReturnType<typeof liveMarkets>;
    before(async () => {
      harness = console();
      key = await harness.running.key('full_book');
      markets = liveMarkets(harness);
    });
    const visitorOf = (path: string, view: Parameters<ConsoleHarness['signedIn']>[1] = {}): Promise<ConsolePage> =>
      alertVisitor(harness, key, path, view);

    it('fires for a market that is not on screen, after a gap, and says how long no price was known', async () => {
      const ticker = 'ALERT-GAP';
      await markets.openMarkets(ticker);
      await markets.store({ facts: [], rows: [], spans: [spanOf(ticker, 7_200, 600)] });
      const visitor = await visitorOf(`/markets/${ticker}`);
      const { page } = visitor;
      await setByForm(page, '0.6');
      await begunOf(page);
      await visitor.open('/markets');
      await settled(page);
      await markets.store({
        facts: [],
        rows: [rowOf({ ticker, agoS: 0, bidCents: 70 })],
        spans: [spanOf(ticker, 1, -60)],
      });
      await nextRound(page);
      await page.getByText(/Middle rose to 0\.71 at .*The price before it is 1\d min( \d+ s)? older/).waitFor();
      await done(visitor);
    });

    it('ends with its market, after what came until the close was compared', async () => {
      const [ended, reached] = ['ALERT-ENDED', 'ALERT-REACHED'];
      await markets.openMarkets(ended, reached);
      const visitor = await visitorOf(`/markets/${ended}`);
      const { page } = visitor;
      await setByForm(page, '0.6');
      await begunOf(page);
      await visitor.open(`/markets/${reached}`);
      await settled(page);
      await setByForm(page, '0.6');
      await begunOf(page);
      const closeS = Date.now() / 1_000;
      await markets.store({
        facts: [ended, reached].map((ticker) => factOf(ticker, closeS)),
        rows: [rowOf({ ticker: reached, agoS: 1, bidCents: 90 }), rowOf({ ticker: ended, agoS: 1, bidCents: 45 })],
      });
      await visitor.open('/');
      const states = (): Promise<string[]> =>
        page
          .locator('.home-alerts [data-alert]')
          .evaluateAll((rows) =>
            rows
              .map((row) => `${(row as HTMLElement).dataset['alert']} ${(row as HTMLElement).dataset['state']}`)
              .toSorted(),
          );
      await eventually(async () => {
        await nextRound(page);
        assert.deepEqual(await states(), [`${ended} ended`, `${reached} fired`]);
      });
      await page.getByText(/Not reached before the close at/).waitFor();
      assert.equal(await page.locator('.fired-alert').count(), 1);
      await done(visitor);
    });

    it('is compared with few requests, however many there are, and all of them fire in the end', async () => {
      const tickers = Array.from({ length: manyN }, (_, at) => `ALERT-MANY-${String(at).padStart(2, '0')}`);
      await markets.openMarkets(...tickers);
      const free = await harness.signedIn(await harness.running.key('free'));
      const { page, open } = free;
      await page.clock.install();
      await open(`/markets/${tickers[0] ?? ''}`);
      await settled(page);
      await setByForm(page, '0.6');
      await begunOf(page);
      await page.evaluate(waitForAll, tickers);
      await open('/keys');
      await settled(page);
      const quiet = await roundsOf(page, 6);
      // Nothing is new: each round is one request, and one that asks whether a market is still open.
      assert.ok(quiet.others.length <= quiet.lookedN, quiet.others.join('\n'));
      await markets.observe(...tickers.map((ticker) => ({ ticker, agoS: 1, bidCents: 80 })));
      const busy = await roundsOf(page, 6);
      // A quarter of the 120 requests of the plan in a minute, and those of the checks.
      assert.ok(busy.others.length <= 5 * busy.lookedN, `${busy.others.length} in ${busy.lookedN} rounds`);
      await eventually(async () => {
        await nextRound(page);
        assert.equal((await storedIn(page)).filter(({ crossing }) => crossing !== null).length, 20);
        assert.equal(await page.locator('section.fired').getAttribute('data-fired'), '20');
      });
      await page.evaluate(forgetAlerts);
      await done(free);
    });

    it('waits longer after each failure, and goes on by itself', async () => {
      const ticker = 'ALERT-FAILURE';
      await markets.openMarkets(ticker);
      const visitor = await visitorOf(`/markets/${ticker}`);
      const { page } = visitor;
      await setByForm(page, '0.6');
      await begunOf(page);
      let requests = 0;
      await page.route('**/markets/at', async (route) => {
        requests += 1;
        await route.fulfill({ status: 503, json: { detail: 'Away.', code: 'unavailable' } });
      });
      for (let step = 0; step < 24; step += 1) {
        await isIdle(page);
        await page.clock.runFor(5_000);
      }
      // After 10, 20, 40 and 80 s. The client sends each once more. Without waiting longer, it would be 24.
      assert.ok(requests >= 2 && requests <= 8, `${requests} requests in 120 s`);
      await page.unroute('**/markets/at');
      await markets.observe({ ticker, agoS: 1, bidCents: 70 });
      await eventually(async () => {
        await isIdle(page);
        await page.clock.runFor(5_000);
        assert.equal(await page.locator('.fired-alert').count(), 1);
      });
      await done(visitor);
    });
  });
};
