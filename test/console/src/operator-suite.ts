import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { connectBus, statusServices, subjects } from '@almanac/bus';
import { drawnBy } from './charts.js';
import {
  accessFaults,
  type ConsoleHarness,
  closeFaultless as done,
  type ConsolePage,
  setVisibility,
  settled,
  viewFaults,
  views,
} from './console.js';

const junk = subjects.export('0123456789ab', 'junk');

export const describeOperator = (console: () => ConsoleHarness): void => {
  describe('the page of the operator', () => {
    let harness: ConsoleHarness;
    let operator = '';
    before(async () => {
      harness = console();
      operator = await harness.running.key('internal');
    });
    const opened = async (view?: Parameters<ConsoleHarness['signedIn']>[1]): Promise<ConsolePage> => {
      const visitor = await harness.signedIn(operator, view);
      const { page } = visitor;
      await visitor.open('/plan');
      if (view !== undefined && view.width !== 1_440) await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('link', { name: 'Operator', exact: true }).click();
      await page.getByRole('heading', { name: 'Operator', exact: true }).waitFor();
      await settled(page);
      return visitor;
    };
    /** That nothing is wrong with the access and the width of the page. */
    const seenAs = async (view: (typeof views)[number], name: string): Promise<void> => {
      const visitor = await opened(view);
      assert.deepEqual(await viewFaults(visitor.page, name, view), []);
      await done(visitor);
    };

    it('does not exist for another account', async () => {
      const visitor = await harness.signedIn(await harness.running.key('full_book'));
      const { page, open } = visitor;
      const requested: string[] = [];
      page.on('request', (request) => requested.push(request.url()));
      await open('/operator');
      await page.getByRole('heading', { name: 'This address leads nowhere' }).waitFor();
      assert.equal(await page.getByRole('link', { name: 'Operator', exact: true }).count(), 0);
      assert.ok(!requested.some((url) => url.includes('/operator/status')));
      await done(visitor);
    });

    it('shows every process, the backlog and the streams, and nothing wrong with a healthy system', async () => {
      const visitor = await opened();
      const { page } = visitor;
      for (const service of statusServices) {
        const row = page.locator(`tr[data-service="${service}"][data-state="ready"]`);
        await row.waitFor();
        assert.match(await row.innerText(), /\/\d+.*\d+\.\d+\.\d+.*MB/s);
      }
      await page.locator('tr[data-consumer="export-workers"]').waitFor();
      await page.locator('tr[data-stream="EVT_COMMERCE"]').waitFor();
      await page.locator('[data-dead-letters="0"]').waitFor();
      assert.equal(await page.locator('tr[data-state="silent"]').count(), 0);
      await done(visitor);
      await seenAs(views[0], 'operator-healthy');
    });

    it('shows a dead letter with its reason and the command for it', async () => {
      const { infrastructure, secrets } = harness.running.system;
      const bus = await connectBus({ url: infrastructure.natsUrl, user: 'export', password: secrets.nats.export });
      await bus.js.publish(junk, 'no event');
      await bus.close();
      const visitor = await opened();
      const { page } = visitor;
      const row = page.locator('tr[data-letters="commerce-exports"]');
      await row.waitFor();
      const text = await row.innerText();
      assert.match(text, /JSON/);
      assert.ok(text.includes(junk), text);
      assert.match(text, /npm run almanac -- dead-letters retry \d+/);
      await page.getByText(/^\d+ dead letters?: events that could not be processed\.$/).waitFor();
      await done(visitor);
    });

    it('shows a stopped service as silent without a reload, with its remedy, until it runs again', async () => {
      const visitor = await opened();
      const { page } = visitor;
      await harness.running.system.kill('webhooks');
      try {
        await page.locator('tr[data-service="webhooks"][data-state="silent"]').waitFor({ timeout: 60_000 });
        await page.getByText('No process of webhooks answers.').waitFor();
        assert.equal(await page.locator('tr[data-consumer="webhook-exports"]').count(), 0);
        // Others know how many dead letters it has.
        await page.locator('tr[data-letters="webhook-exports"]').getByText('Its service does not answer').waitFor();
        await seenAs(views[1], 'operator-problems');
      } finally {
        await harness.running.system.restart('webhooks');
      }
      await page.locator('tr[data-service="webhooks"][data-state="ready"]').waitFor({ timeout: 60_000 });
      await done(visitor);
    });

    it('draws the last day of the system, with what to do', async () => {
      const visitor = await opened();
      const { page } = visitor;
      // The first sample of a gateway comes 5 s after its start.
      const card = page.getByRole('region', { name: 'Last day' });
      await page.locator('[data-figure="memory"] [data-series="gateway"]', { hasText: /\d+ MB/ }).waitFor();
      await card.getByText('a sample every 1 min').waitFor();
      const disk = page.locator('[data-figure="disk"]');
      assert.match(await disk.innerText(), /free \d.* [GT]B/);
      await page.locator('[data-figure="p95"]').getByText('What to do').click();
      await page.getByText('1% of the requests to a route take more than 2 s.').waitFor();
      await done(visitor);
    });

    it('draws each sample, ends lines where some are missing, and moves the cursor through all charts', async () => {
      const visitor = await harness.signedIn(operator);
      const { page, open } = visitor;
      const history = historyOfADay();
      await page.route('**/api/v1/operator/history', (route) => route.fulfill({ json: history }));
      await open('/operator');
      const drawn = await drawnBy(page, 'requests');
      const rates = history.samples.map((one) => (one.seconds === 0 ? null : one.requests / one.seconds));
      assert.deepEqual(
        drawn.series['answered']?.filter((value) => value !== null),
        rates.slice(1),
      );
      assert.equal(drawn.ts.length, history.samples.length + 1);
      await page.getByRole('slider', { name: /^Requests of the last day/ }).focus();
      await page.keyboard.press('Home');
      await page.locator('[data-chart="memory"] .chart-value', { hasText: 'MB' }).waitFor();
      assert.deepEqual(await accessFaults(page), []);
      await done(visitor);
      for (const view of views) {
        const seen = await harness.signedIn(operator, view);
        await seen.page.route('**/api/v1/operator/history', (route) => route.fulfill({ json: history }));
        await seen.open('/operator');
        await seen.page.locator('[data-chart="memory"]').waitFor();
        assert.deepEqual(await viewFaults(seen.page, 'operator-day', view), []);
        await done(seen);
      }
    });

    it('shows an error in its place, and tries again on request', async () => {
      const visitor = await harness.signedIn(operator);
      const { page, open } = visitor;
      const body = JSON.stringify({ code: 'internal', detail: 'The server failed.', request_id: 'r1' });
      const address = '**/api/v1/operator/status';
      await page.clock.install();
      await page.route(address, (route) => route.fulfill({ status: 500, contentType: 'application/json', body }));
      await open('/operator');
      await page.locator('[data-state="error"]').getByText('The server made a mistake').waitFor();
      assert.deepEqual(await accessFaults(page), []);
      // The page reads again every few seconds by itself.
      await page.clock.pauseAt(Date.now() + 60_000);
      await page.locator('[data-state="error"]').getByText('The server made a mistake').waitFor();
      await page.unroute(address);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.clock.resume();
      await page.locator('tr[data-service="gateway"][data-state="ready"]').waitFor();
      await done(visitor);
    });

    it('reads again every few seconds, and not while its tab is hidden', async () => {
      const visitor = await harness.visit();
      const { page, open } = visitor;
      await page.clock.install();
      await open('/operator');
      await page.getByLabel('API key').fill(operator);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.locator('tr[data-service="gateway"][data-state="ready"]').waitFor();
      let requests = 0;
      page.on('request', (request) => {
        if (request.url().endsWith('/operator/status')) requests += 1;
      });
      const answered = (): Promise<unknown> => page.waitForResponse(/\/operator\/status$/);
      for (let round = 0; round < 2; round += 1) await Promise.all([answered(), page.clock.runFor(5_500)]);
      await setVisibility(page, 'hidden');
      // What was being sent needs the clock, too.
      await page.clock.runFor(1_000);
      const requestsBefore = requests;
      await page.clock.runFor(120_000);
      assert.equal(requests, requestsBefore);
      await Promise.all([answered(), setVisibility(page, 'visible')]);
      await done(visitor);
    });
  });
};

/** A day of samples, of which an hour is missing. */
const historyOfADay = () => {
  const now = Math.floor(Date.now() / 1_000);
  const minutes = Array.from({ length: 1_440 }, (_, at) => at).filter((at) => at < 600 || at >= 660);
  return {
    every_s: 60,
    stored_s: 86_400,
    has_folder: true,
    samples: minutes.map((at) => ({
      ts: now - (1_440 - at) * 60,
      seconds: at === 0 ? 0 : 60,
      requests: 600 + ((at * 37) % 240),
      errors: at === 900 ? 40 : 0,
      p95_ms: 8 + (at % 60) / 10,
      waiting: at > 1_000 && at < 1_100 ? 4_000 : at % 3,
      dead_letters: at > 1_200 ? 1 : 0,
      stream_bytes: 20_000_000 + at * 3_000,
      disk_free_bytes: 180_000_000_000 - at * 1_000_000,
      disk_bytes: 256_000_000_000,
      memory_bytes: Object.fromEntries(statusServices.map((service, n) => [service, (60 + 12 * n) * 1_000_000])),
    })),
  };
};
