import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { bookResponse } from '@almanac/contracts';
import { apiClient } from '@almanac/test-e2e';
import type { Page, Route } from 'playwright-core';
import { liveTicker } from './archive.js';
import { accessFaults, closeFaultless as done, type ConsoleHarness, screensShown, settled, signIn } from './console.js';
import { finishedMarket } from './finished-market.js';

/** A refusal as the gateway sends it, before a plan's next request is due. */
const rateLimited = (retryAfterS: number) => (route: Route) =>
  route.fulfill({
    status: 429,
    headers: { 'Retry-After': String(retryAfterS), 'RateLimit-Limit': '120', 'RateLimit-Remaining': '0' },
    contentType: 'application/json',
    body: JSON.stringify({ detail: 'Too many requests.', code: 'rate_limited', request_id: 'r' }),
  });

const broken = (route: Route) =>
  route.fulfill({
    status: 500,
    contentType: 'application/json',
    body: JSON.stringify({ detail: 'The server has a fault.', code: 'internal', request_id: 'r' }),
  });

export const describeStates = (console: () => ConsoleHarness): void => {
  describe('what a screen says while something is missing', () => {
    let harness: ConsoleHarness;
    let key = '';
    let ticker = '';
    before(async () => {
      harness = console();
      key = await harness.running.key('full_book');
      const api = apiClient(harness.base, key);
      ({ ticker } = await finishedMarket(api));
    });
    /** The paths below `/api/v1` that a page requests from now on. */
    const callsOf = (page: Page): string[] => {
      const calls: string[] = [];
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (pathname.startsWith('/api/v1/')) calls.push(pathname.slice('/api/v1'.length));
      });
      return calls;
    };

    it('says that the server does not answer before the session is known, and goes on by itself', async () => {
      const visitor = await harness.visit();
      const { page, open } = visitor;
      for (const refuse of [(route: Route) => route.abort(), (route: Route) => route.fulfill({ status: 503 })]) {
        await page.route('**/auth/session', refuse);
        await open('/plan');
        await page.locator('[data-state="offline"]').waitFor();
        assert.deepEqual(await accessFaults(page), []);
        await page.unroute('**/auth/session');
        await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      }
      await done(visitor);
    });

    it('signs in although the server does not answer the first time', async () => {
      for (const refuse of [(route: Route) => route.abort(), (route: Route) => route.fulfill({ status: 503 })]) {
        const visitor = await harness.visit();
        const { page, open } = visitor;
        await open('/plan');
        await page.getByRole('heading', { name: 'Sign in' }).waitFor();
        let refused = 0;
        const refuseOnce = async (route: Route): Promise<void> => {
          refused += 1;
          await refuse(route);
        };
        await page.route('**/auth/session', refuseOnce, { times: 1 });
        await signIn(page, key);
        await screensShown(visitor);
        assert.equal(refused, 1);
        await done(visitor);
      }
    });

    it('says that requests are refused while it waits, and then shows the answer', async () => {
      const visitor = await harness.signedIn(key);
      const { page, open } = visitor;
      await page.route('**/api/v1/plan', rateLimited(2), { times: 1 });
      await open('/plan');
      await page.locator('.banner[data-state="rate-limited"]').waitFor();
      assert.deepEqual(await accessFaults(page), []);
      await page.locator('[data-meter="API keys"]').waitFor();
      await page.locator('.banner').waitFor({ state: 'detached' });
      await done(visitor);
    });

    it('counts down where a screen waits for longer than a call', async () => {
      const visitor = await harness.signedIn(key, { width: 360 });
      const { page, open } = visitor;
      await page.route('**/api/v1/plan', rateLimited(50));
      await open('/plan');
      await page
        .locator('section[data-state="rate-limited"]')
        .getByText(/The page goes on in \d+ s/)
        .waitFor();
      assert.deepEqual(await accessFaults(page), []);
      await done(visitor);
    });

    it('does not say that a market has no trades when they could not be read', async () => {
      const visitor = await harness.signedIn(key);
      const { page, open } = visitor;
      await page.route('**/trades?**', broken);
      await open(`/markets/${ticker}`);
      await page.locator('[data-state="error"]').getByText('The server made a mistake').waitFor();
      await page.locator('[data-chart="price"]').waitFor();
      assert.equal(await page.getByText('No trade is stored').count(), 0);
      await page.unroute('**/trades?**');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('region', { name: 'Trades', exact: true }).waitFor();
      await done(visitor);
    });

    it('does not say that an account made no exports when they could not be read', async () => {
      const visitor = await harness.signedIn(key);
      const { page, open } = visitor;
      await page.route('**/api/v1/exports?**', broken);
      await open('/plan');
      const card = page.getByRole('region', { name: 'Exports of the last 30 days' });
      await card.locator('[data-state="error"]').waitFor();
      assert.equal(await card.locator('svg').count(), 0);
      await page.unroute('**/api/v1/exports?**');
      await card.getByRole('button', { name: 'Try again' }).click();
      await card.getByText('0 exports in 30 days').waitFor();
      await done(visitor);
    });

    it('says of an empty list whether the filters or the time are the reason', async () => {
      const visitor = await harness.signedIn(key);
      const { page, open } = visitor;
      for (const [path, text] of [
        ['/browse?q=nothinglikethis', 'No series matches'],
        ['/markets?q=nothinglikethis', 'No market matches'],
        ['/?as_of=1000000000', 'No series was known at this time'],
        ['/browse?as_of=1000000000', 'No series was known at this time'],
        ['/markets?as_of=1000000000', 'No market was known at this time'],
      ] as const) {
        await open(path);
        await page.getByRole('heading', { name: text }).waitFor();
      }
      await done(visitor);
    });

    it('proposes words in the tour that find markets of the demo data', async () => {
      const visitor = await harness.visit({ tour: true });
      const { page, open } = visitor;
      await open('/');
      await signIn(page, key);
      const tour = await page.getByRole('complementary', { name: 'Tour of two minutes' }).innerText();
      const [, words = assert.fail(tour)] = /“(.+)”/.exec(tour) ?? [];
      await page.getByRole('combobox').first().fill(words);
      await page.getByRole('listbox').getByRole('option').first().waitFor();
      await done(visitor);
    });

    it('opens a screen at its top and with the focus in it, and goes back to the place in the list', async () => {
      const visitor = await harness.signedIn(key);
      const { page, open } = visitor;
      await open('/markets');
      await settled(page);
      await page.mouse.wheel(0, 1_500);
      await page.waitForFunction(() => window.scrollY > 1_000);
      const place = await page.evaluate(() => window.scrollY);
      const row = page.locator('[data-kind="markets"] a').nth(20);
      await row.focus();
      await page.keyboard.press('Enter');
      await page.locator('.crumbs code').waitFor();
      assert.equal(await page.evaluate(() => window.scrollY), 0);
      assert.equal(await page.evaluate(() => document.activeElement?.id), 'main');
      await settled(page);
      await page.goBack();
      await page.waitForFunction((top) => Math.abs(window.scrollY - top) < 200, place);
      await done(visitor);
    });

    it('shows the book of now for a market that is live, and no moment before a close that has not come', async () => {
      const visitor = await harness.signedIn(key);
      const { page, open } = visitor;
      await open(`/markets/${liveTicker}`);
      await settled(page);
      const at = Number(await page.locator('[data-book-ts]').getAttribute('data-book-ts'));
      assert.ok(Math.abs(at - Date.now() / 1_000) < 60, String(at));
      await page.getByRole('button', { name: 'Whole life' }).waitFor();
      assert.equal(await page.getByRole('button', { name: '30 s before close' }).count(), 0);
      await done(visitor);
    });

    it('says why an account without order books sees none, with the remedy of the API', async () => {
      const pro = await harness.running.key('pro');
      const { notice } = await apiClient(harness.base, pro).json(bookResponse, `/markets/${ticker}/book`);
      const visitor = await harness.signedIn(pro);
      const { page, open } = visitor;
      await open(`/markets/${ticker}`);
      await settled(page);
      const reasons = await page.locator('[data-state="books-not-included"]').allInnerTexts();
      assert.deepEqual(reasons, [`${notice} Plans`]);
      assert.deepEqual(await accessFaults(page), []);
      await page.getByRole('region', { name: 'Order book' }).getByRole('link', { name: 'Plans' }).click();
      await page.getByRole('heading', { name: 'Plan and usage' }).waitFor();
      await done(visitor);
    });

    it('requests the chart of a market when the button of the mouse goes down on it, and only once', async () => {
      const visitor = await harness.signedIn(key);
      const { page, open } = visitor;
      await open('/markets');
      await settled(page);
      const calls = callsOf(page);
      const isOverview = (path: string): boolean => /^\/markets\/.+\/candles$/.test(path);
      const row = page.locator('[data-kind="markets"] a').nth(5);
      await row.hover();
      const requested = page.waitForRequest(/\/candles\?points=/);
      await page.mouse.down();
      await requested;
      assert.equal(new URL(page.url()).pathname, '/console/markets');
      await page.mouse.up();
      await page.locator('[data-chart="price"]').waitFor();
      await settled(page);
      assert.equal(calls.filter(isOverview).length, 1, calls.join(' '));
      await done(visitor);
    });

    it('reads the coverage of a market after its chart, and not once more for each zoom', async () => {
      const visitor = await harness.signedIn(key);
      const { page, open } = visitor;
      await open('/nowhere');
      await settled(page);
      const order: string[] = [];
      page.on('requestfinished', (request) => {
        if (request.url().includes('/candles?points=')) order.push('candles');
      });
      page.on('request', (request) => {
        if (request.url().includes('/preview')) order.push('preview');
      });
      await open(`/markets/${ticker}`);
      await settled(page);
      await page.getByRole('region', { name: 'Coverage' }).waitFor();
      assert.deepEqual(order.slice(0, 2), ['candles', 'preview']);
      const calls = callsOf(page);
      await page.getByRole('button', { name: 'Zoom in' }).click();
      await page.getByText(/observations$/).waitFor();
      await page.locator('[data-depth]').waitFor();
      await settled(page);
      assert.ok(calls.some((path) => path.endsWith('/snapshots')));
      assert.deepEqual(
        calls.filter((path) => path.endsWith('/preview')),
        [],
      );
      await done(visitor);
    });
  });
};
