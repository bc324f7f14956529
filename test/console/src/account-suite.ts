import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { before, describe, it } from 'node:test';
import { marketsResponse } from '@almanac/contracts';
import { type ApiClient, apiClient } from '@almanac/test-e2e';
import { verifyWebhook } from '@almanac/client';
import { type ConsoleHarness, closeFaultless as done, settled, signIn } from './console.js';

export const describeAccount = (console: () => ConsoleHarness): void => {
  describe('an account in the console', () => {
    let harness: ConsoleHarness;
    let events: readonly string[] = [];
    before(async () => {
      harness = console();
      const client = await harness.running.client('internal');
      const { markets } = await client.json(marketsResponse, '/markets?series=GENBTC15M&status=finalized&limit=4');
      events = markets.map(({ event_ticker: event }) => event ?? assert.fail('no event'));
    });
    const api = (key: string): ApiClient => apiClient(harness.base, key);

    it('signs in with a key that nothing in the browser stores, and goes on at the requested address', async () => {
      const key = await harness.running.key('pro');
      const visitor = await harness.visit();
      const { page, context } = visitor;
      await visitor.open('/plan');
      await signIn(page, 'ak_live_wrong');
      await page.getByText('The server does not accept this key.').waitFor();
      await signIn(page, key);
      await page.getByRole('heading', { name: 'Plan and usage' }).waitFor();
      const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]));
      assert.ok(!stored.includes(key) && !stored.includes('almanac_session'), stored);
      const [cookie] = await context.cookies();
      assert.deepEqual([cookie?.name, cookie?.httpOnly, cookie?.sameSite], ['almanac_session', true, 'Lax']);
      assert.ok(!cookie?.value.includes(key));
      assert.ok(!(await page.content()).includes(key));
      await page.reload();
      await page.getByRole('heading', { name: 'Plan and usage' }).waitFor();
      await done(visitor);
    });

    it('signs out, and the cookie opens nothing afterwards', async () => {
      const visitor = await harness.signedIn(await harness.running.key('pro'));
      const { page, context } = visitor;
      await visitor.open('/plan');
      const [cookie] = await context.cookies();
      await page.getByText('Account', { exact: true }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      assert.equal(await page.locator('[data-state="signed-out"]').count(), 0);
      const headers = { cookie: `almanac_session=${cookie?.value}` };
      assert.equal((await fetch(`${harness.base}/api/v1/plan`, { headers })).status, 401);
      await done(visitor);
    });

    it('creates a key that is shown once, works, and is revoked', async () => {
      const visitor = await harness.signedIn(await harness.running.key('pro'));
      const { page } = visitor;
      await visitor.open('/keys');
      await page.getByLabel('Name', { exact: true }).fill('<b>agent</b>');
      await page.getByLabel('Reads as of').fill('2026-02-25T04:30:00');
      await page.getByRole('button', { name: 'Create' }).click();
      const secret = await page.locator('[data-secret]').innerText();
      const plan = await api(secret).send('/plan');
      assert.equal(plan.status, 200);
      assert.equal((await api(secret).send('/cart')).status, 403, 'it has as_of');
      const row = page.getByRole('row', { name: '<b>agent</b>' });
      assert.match(await row.innerText(), /2026-02-25 04:30:00 UTC/);
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await page.reload();
      await row.waitFor();
      assert.ok(!(await page.content()).includes(secret));
      await row.getByRole('button', { name: 'Revoke' }).click();
      await row.getByRole('group').getByRole('button', { name: 'Revoke' }).click();
      await row.getByText('revoked', { exact: true }).waitFor();
      assert.equal((await api(secret).send('/plan')).status, 401);
      await done(visitor);
    });

    it('is signed out by the revocation of its key, with the reason, and goes on after the next sign-in', async () => {
      const key = await harness.running.key('pro');
      const visitor = await harness.signedIn(key);
      const { page } = visitor;
      await visitor.open('/cart');
      await settled(page);
      const client = api(key);
      const id = key.split('_')[2] ?? '';
      assert.equal((await client.send(`/keys/${id}`, { method: 'DELETE' })).status, 200);
      // Nobody clicks: the page notices it by itself.
      await page.locator('[data-state="signed-out"]').waitFor({ timeout: 90_000 });
      await signIn(page, await harness.running.key('pro'));
      await page.getByRole('heading', { name: 'Cart', exact: true }).waitFor();
      await done(visitor);
    });

    it('buys an event: the price before, the checkout, then the export with its hash and the right bytes', async () => {
      const [event = '', second = ''] = events;
      const key = await harness.running.key('free');
      const visitor = await harness.signedIn(key);
      const { page } = visitor;
      // The free credit covers the first export.
      await visitor.open(`/exports/new?event=${second}&format=csv`);
      await page.locator('[data-quote="free_credit"]').waitFor();
      await page.getByRole('button', { name: 'Export with a free credit' }).click();
      await page.getByRole('group').getByRole('button', { name: 'Export with a free credit' }).click();
      await page.getByRole('link', { name: 'Download' }).waitFor({ timeout: 120_000 });

      await visitor.open(`/exports/new?event=${event}&format=csv`);
      await page.locator('[data-would="payment_required"]').waitFor();
      const rows = await page.locator('[data-figure="Rows"]').innerText();
      assert.ok(Number(rows.replaceAll(',', '')) > 0, rows);
      const options = await page
        .locator('[data-option]')
        .evaluateAll((found) => found.map((one) => one.textContent ?? ''));
      assert.match(options[0] ?? '', /^\$5\.00 buys/);
      await page.getByRole('button', { name: 'Add to the cart' }).first().click();
      await page.getByRole('link', { name: 'Go to the cart' }).click();
      assert.equal(await page.locator('[data-total]').innerText(), '$5.00');
      await page.getByRole('button', { name: 'Buy for $5.00' }).click();
      await page.getByRole('group').getByRole('button', { name: 'Buy for $5.00' }).click();
      const bought = page.locator('[data-state="bought"]');
      await bought.getByText('nothing was charged').waitFor();
      await bought.getByRole('link', { name: 'Export' }).click();
      await page.locator('[data-quote="unlock"]').waitFor();
      await page.getByRole('button', { name: 'Export', exact: true }).click();
      const download = page.getByRole('link', { name: 'Download' });
      await download.waitFor({ timeout: 120_000 });
      const sha256 = await page.locator('[data-sha256] code').innerText();
      const [file] = await Promise.all([page.waitForEvent('download'), download.click()]);
      const bytes = await readFile(await file.path());
      assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256);
      assert.match(file.suggestedFilename(), /\.parquet$/);
      assert.match(await page.locator('[data-citation]').innerText(), /Almanac/);
      await visitor.open('/exports?status=ready');
      await page.getByRole('link', { name: event, exact: true }).waitFor();
      await done(visitor);
    });

    it('offers events and markets to export while a title or an id is typed', async () => {
      const [event = ''] = events;
      const visitor = await harness.signedIn(await harness.running.key('pro'));
      const { page } = visitor;
      await visitor.open('/exports/new');
      await page.getByRole('combobox', { name: 'Event: words of its title' }).fill(event.slice(0, -1));
      await page.getByRole('option').filter({ hasText: event }).first().click();
      await page.locator('[data-quote="plan"]').waitFor();
      assert.equal(new URL(page.url()).searchParams.get('event'), event);
      await page.getByRole('radio', { name: 'One market' }).check();
      await page.getByRole('combobox', { name: 'Market: words of its title' }).fill('generated price up');
      await page.getByRole('option').first().waitFor();
      await page.getByText('Choose the market to export.').waitFor();
      // Enter chooses and does not send the form.
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.locator('[data-quote="plan"]').waitFor();
      const url = new URL(page.url());
      assert.equal(url.pathname, '/console/exports/new');
      assert.match(url.searchParams.get('ticker') ?? '', /^GEN/);
      await done(visitor);
    });

    it('shows the plan, what of it is used and what all plans cost, and changes to a larger one', async () => {
      const visitor = await harness.signedIn(await harness.running.key('free'));
      const { page } = visitor;
      await visitor.open('/plan');
      await settled(page);
      assert.match(await page.locator('[data-meter="API keys"]').innerText(), /1 of \d+/);
      assert.match(await page.locator('[data-meter="Requests in this minute"]').innerText(), /\d+ left/);
      const change = page.locator('[data-plan="pro"]');
      assert.match(await change.innerText(), /^Pro\s+\$49\.00 a month\s+1,200\s+200\s+10\s+yes\s+no\s/);
      assert.match(await page.locator('[data-plan="full_book"]').innerText(), /\$149\.00 a month/);
      assert.match(await page.locator('[data-plan="free"]').innerText(), /your plan/);
      await change.getByRole('button', { name: 'Change to Pro' }).click();
      await change.getByRole('group').getByRole('button', { name: 'Change to Pro' }).click();
      await page.getByText('The plan has changed.').waitFor();
      await page.getByRole('region', { name: 'Plan', exact: true }).getByRole('heading', { name: 'Pro' }).waitFor();
      await done(visitor);
    });

    it('creates a webhook, sees its deliveries, and sends one again', async () => {
      const received: { headers: IncomingMessage['headers']; body: string }[] = [];
      const server = createServer((request, response) => {
        void request.toArray().then((parts) => {
          received.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
          response.end();
        });
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/hook`;
      const visitor = await harness.signedIn(await harness.running.key('pro'));
      const { page } = visitor;
      await visitor.open('/webhooks');
      await page.getByLabel('Address').fill(url);
      await page.getByRole('button', { name: 'Create' }).click();
      const secret = await page.locator('[data-secret]').innerText();
      await page.getByRole('link', { name: url }).click();
      await page.getByRole('button', { name: 'Send a test' }).click();
      const succeeded = page.locator('[data-delivery][data-status="succeeded"]');
      await succeeded.first().waitFor({ timeout: 60_000 });
      await succeeded.first().getByRole('button', { name: 'Send again' }).click();
      await succeeded.nth(1).waitFor({ timeout: 60_000 });
      const [first, again] = received;
      assert.equal(first?.headers['webhook-id'], again?.headers['webhook-id']);
      await verifyWebhook({ headers: first?.headers ?? {}, body: first?.body ?? '' }, secret);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('group').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No webhooks yet').waitFor();
      server.close();
      await done(visitor);
    });
  });
};
