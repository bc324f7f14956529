import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { marketsResponse } from '@almanac/contracts';
import { storeGeneratedArchive } from '@almanac/system';
import { apiClient } from '@almanac/test-e2e';
import type { Route } from 'playwright-core';
import { accessFaults, type ConsoleHarness, type ConsolePage, picture, startConsole } from './console.js';

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

describe('what a screen says while something is missing', () => {
  let harness: ConsoleHarness;
  let key = '';
  let ticker = '';
  before(async () => {
    harness = await startConsole();
    await storeGeneratedArchive(harness.running.system, Math.floor(Date.now() / 1_000));
    key = await harness.running.key('full_book');
    const api = apiClient(harness.base, key);
    const { markets } = await api.json(marketsResponse, '/markets?series=GENBTC15M&status=finalized&limit=1');
    ticker = markets[0]?.ticker ?? assert.fail('no market');
  });
  after(() => harness.stop());

  const done = async ({ faults, context }: ConsolePage): Promise<void> => {
    assert.deepEqual(faults, []);
    await context.close();
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
    await picture(page, 'rate-limited-360-light');
    assert.deepEqual(await accessFaults(page), []);
    await done(visitor);
  });

  it('does not say that a market has no trades when they could not be read', async () => {
    const visitor = await harness.signedIn(key);
    const { page, open } = visitor;
    await page.route('**/trades?**', broken);
    await open(`/markets/${ticker}`);
    await page.locator('[data-state="error"]').getByText('The server has a fault.').waitFor();
    await page.locator('[data-chart="price"]').waitFor();
    assert.equal(await page.getByText('No trade is stored').count(), 0);
    await page.unroute('**/trades?**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('region', { name: 'Trades', exact: true }).waitFor();
    await done(visitor);
  });
});
