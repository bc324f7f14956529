import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { eventually } from '@almanac/testing';
import {
  alertVisitor,
  begunOf,
  clickAt,
  fakeNotifications,
  liveMarkets,
  nextRound,
  roundMs,
  setByForm,
  storedIn,
  textsOf,
} from './alerts.js';
import {
  accessFaults,
  closeFaultless as done,
  type ConsoleHarness,
  type ConsolePage,
  excessWidth,
  settled,
} from './console.js';
import { drawnBy, pixelAt } from './charts.js';

export const describeAlerts = (console: () => ConsoleHarness): void => {
  describe('an alert of a price', () => {
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

    it('is set by a click at the axis, drawn there, and fires for a price that was there between two looks only', async () => {
      const ticker = 'ALERT-CLICK';
      await markets.openMarkets(ticker);
      const visitor = await visitorOf(`/markets/${ticker}?y=full`);
      const { page } = visitor;
      await clickAt(page, 0.7);
      await page.locator('[data-state="waiting"]', { hasText: /Middle rises to 0\.(69|7)/ }).waitFor();
      assert.match(await page.locator('.alert-panel').innerText(), /while the console is open/);
      const price = Number((await page.locator('.alert-text').innerText()).split(' ').at(-1));
      const { window } = await drawnBy(page, 'price');
      await eventually(async () => {
        const colors = await pixelAt(page, 'price', { ts: window.from + 1, value: price });
        assert.ok(colors.some(([red, , blue]) => red > blue + 60));
      });
      assert.deepEqual(await accessFaults(page), []);
      await begunOf(page);
      await markets.observe(
        { ticker, agoS: 2, bidCents: 40 },
        { ticker, agoS: 1.5, bidCents: 80 },
        { ticker, agoS: 1, bidCents: 40 },
      );
      await nextRound(page);
      const message = page.locator(`.fired-alert[data-alert="${ticker}"]`);
      await message.getByText(/Middle rose to 0\.81 at /).waitFor();
      assert.match(await page.title(), /^\(1\) Will ALERT-CLICK happen/);
      assert.deepEqual(await accessFaults(page), []);
      const [alert] = await storedIn(page);
      await message.getByRole('link', { name: 'Show the moment' }).click();
      await message.waitFor({ state: 'detached' });
      assert.doesNotMatch(await page.title(), /^\(/);
      const at = Number(new URL(page.url()).searchParams.get('at'));
      assert.ok(Math.abs(at - (alert?.crossing?.ts ?? 0)) < 0.01);
      await eventually(async () => {
        const { ts, series: lines } = await drawnBy(page, 'price');
        const shown = ts.findIndex((time) => Math.abs(time - at) < 0.01);
        assert.equal(lines['mid']?.[shown], 0.81);
      });
      // It fires once, and stays told after a reload.
      await markets.observe({ ticker, agoS: 0.5, bidCents: 85 });
      await page.reload();
      await settled(page);
      await page.clock.runFor(roundMs);
      assert.equal(await page.locator('.fired-alert').count(), 0);
      await done(visitor);
    });

    it('is set by keyboard alone, listed on the home, and removed there and on the market', async () => {
      const ticker = 'ALERT-KEYS';
      await markets.openMarkets(ticker);
      const visitor = await visitorOf(`/markets/${ticker}`);
      const { page } = visitor;
      await page.getByRole('slider', { name: /A sets an alert/ }).focus();
      await page.keyboard.press('a');
      const field = page.getByLabel('Tell me when');
      await eventually(async () => assert.ok(await field.evaluate((input) => input === document.activeElement)));
      assert.equal(await field.inputValue(), '0.41');
      await field.fill('7');
      await page.keyboard.press('Enter');
      await page.getByText('A price is between 0 and 1, such as 0.62.').waitFor();
      assert.deepEqual(await accessFaults(page), []);
      await field.fill('0,3');
      await page.keyboard.press('Enter');
      await page.getByLabel('Value').selectOption('ask');
      await field.fill('0.5');
      await page.keyboard.press('Enter');
      const listed = page.getByRole('list', { name: 'Alerts of this market' }).getByRole('listitem');
      assert.deepEqual(await textsOf(listed), ['Ask rises to 0.50', 'Middle falls to 0.30']);
      await page.keyboard.press('Escape');
      assert.equal(await listed.first().isVisible(), false);
      await visitor.open('/');
      await settled(page);
      const rows = page.getByRole('region', { name: 'Price alerts', exact: true }).getByRole('listitem');
      assert.deepEqual(await textsOf(rows), ['Ask rises to 0.50', 'Middle falls to 0.30']);
      assert.deepEqual(await accessFaults(page), []);
      await rows
        .first()
        .getByRole('button', { name: /^Remove the alert: Ask/ })
        .click();
      assert.deepEqual(await textsOf(rows), ['Middle falls to 0.30']);
      await rows.first().getByRole('link').click();
      await page.waitForURL(`**/markets/${ticker}`);
      await page.locator('.alert-panel > summary').click();
      await listed.getByRole('button', { name: /^Remove/ }).click();
      assert.deepEqual(await storedIn(page), []);
      await done(visitor);
    });

    it('is a notification of the browser where it is allowed, and says where it is blocked', async () => {
      const ticker = 'ALERT-NOTIFY';
      await markets.openMarkets(ticker);
      for (const permission of ['denied', 'default'] as const) {
        const visitor = await harness.visit();
        const { page, context } = visitor;
        await context.addInitScript(fakeNotifications, permission);
        await context.request.post('/auth/session', { headers: { Authorization: `Bearer ${key}` } });
        await page.clock.install();
        await visitor.open(`/markets/${ticker}`);
        await settled(page);
        await setByForm(page, permission === 'denied' ? '0.6' : '0.8');
        await page.locator('.alert-panel > summary').click();
        if (permission === 'denied') {
          await page.getByText(/This browser blocks notifications of the console/).waitFor();
          assert.deepEqual(await accessFaults(page), []);
        } else {
          await page.getByRole('button', { name: 'Also notify me outside of this tab' }).click();
          await page.getByText('This browser also shows a notification.').waitFor();
        }
        await begunOf(page);
        await markets.observe({ ticker, agoS: 1, bidCents: permission === 'denied' ? 70 : 90 });
        await nextRound(page);
        await page.locator('.fired-alert').waitFor();
        assert.match(await page.title(), /^\(1\) /);
        const shown = await page.evaluate(() => (globalThis as { notified?: string[] }).notified ?? []);
        assert.deepEqual(shown, permission === 'denied' ? [] : [`Will ${ticker} happen?`]);
        await done(visitor);
      }
    });

    it('fits a phone, with its button at the price of the cursor, its panel and its message', async () => {
      const ticker = 'ALERT-PHONE';
      await markets.openMarkets(ticker);
      const visitor = await visitorOf(`/markets/${ticker}?y=full`, { width: 360, theme: 'dark' });
      const { page } = visitor;
      await clickAt(page, 0.5);
      await page.locator('.alert-list [data-state="waiting"]').waitFor();
      assert.deepEqual([await accessFaults(page), await excessWidth(page)], [[], 0]);
      await begunOf(page);
      await page.keyboard.press('Escape');
      await markets.observe({ ticker, agoS: 1, bidCents: 90 });
      await nextRound(page);
      await page.locator('.fired-alert').waitFor();
      assert.deepEqual([await accessFaults(page), await excessWidth(page)], [[], 0]);
      await done(visitor);
    });

    it('is offered for no market that has closed, and for no time of the past', async () => {
      await markets.openMarkets('ALERT-PAST');
      const visitor = await harness.signedIn(key);
      const { page, open } = visitor;
      for (const path of ['/markets/ONE-E-M', `/markets/ALERT-PAST?as_of=${Math.floor(Date.now() / 1_000)}`]) {
        await open(path);
        await settled(page);
        assert.equal(await page.locator('.alert-panel').count(), 0, path);
        assert.equal(await page.getByRole('slider', { name: /A sets an alert/ }).count(), 0, path);
      }
      await done(visitor);
    });
  });
};
