import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { cartResponse, checkoutResponse, exportResponse, marketsResponse, upgradeResponse } from '@almanac/contracts';
import { storeGeneratedArchive } from '@almanac/system';
import { personal, receiverAt, type FakeStripe, startFakeStripe } from '@almanac/test-stripe';
import { z } from 'zod';
import { type ApiClient, errorBody, poll } from './api.js';
import { type SystemHarness, startHarness } from './harness.js';

describe('a system that takes money with Stripe', () => {
  let fakeStripe: FakeStripe;
  let running: SystemHarness;
  let api: ApiClient;
  let webhooks = '';
  before(async () => {
    fakeStripe = await startFakeStripe();
    const { secretKey, webhookSecret, url } = fakeStripe;
    const commerce = { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_API_URL: url };
    running = await startHarness({ environment: { commerce } });
    await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
    api = await running.client('free');
    webhooks = `${running.system.baseUrls[0]}/webhooks/stripe`;
  });
  after(async () => {
    await running.stop();
    await fakeStripe.stop();
  });

  const post = (body?: unknown) => ({ method: 'POST', ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const payAt = (url: string | null) => fakeStripe.people.pay(url?.split('/').at(-1) ?? '');
  const cart = () => api.json(cartResponse, '/cart');
  const planName = async () => (await api.json(z.looseObject({ plan: z.object({ id: z.string() }) }), '/plan')).plan.id;

  it('sells a cart of three on a hosted page: with webhooks repeated and in reverse, each event is unlocked and exports', async () => {
    const { markets } = await api.json(marketsResponse, '/markets?series=GENBTC15M&status=finalized&limit=3');
    const events = markets.map(({ event_ticker: event }) => event ?? '');
    await Promise.all(events.map((event) => api.json(cartResponse, '/cart/event-exports', post({ event }))));
    const page = await api.json(checkoutResponse, '/cart/checkout', post());
    assert.deepEqual([page.mode, page.status, page.unlocked, page.total.amount], ['stripe', 'pending', [], 1_500]);
    payAt(page.checkout_url);
    const output = fakeStripe.webhooks.events;
    await fakeStripe.webhooks.deliver(receiverAt(webhooks), [...output, ...output].toReversed());
    await poll(cart, ({ count }) => count === 0);
    for (const event of events) {
      const body = { event, streams: ['snapshots', 'l2'] };
      // The plan allows one pending export.
      const { id, grant } = await api.json(exportResponse, '/exports', post(body));
      assert.equal(grant, 'unlock');
      const { status } = await poll(
        () => api.json(exportResponse, `/exports/${id}`),
        (seen) => seen.status !== 'pending',
      );
      assert.equal(status, 'ready');
      const again = await api.json(cartResponse, '/cart/event-exports', post({ event }));
      assert.deepEqual([again.count, again.already_unlocked], [0, true]);
    }
  });

  it('refuses a webhook whose signature is wrong or old', async () => {
    const body = fakeStripe.webhooks.events.at(-1)?.body ?? '';
    const old = Math.floor(Date.now() / 1_000) - 301;
    for (const how of [{ secret: 'whsec_other' }, { at: old }]) {
      const headers = { 'stripe-signature': fakeStripe.webhooks.sign(body, how) };
      const answer = await fetch(webhooks, { method: 'POST', body, headers });
      assert.equal(answer.status, 400);
      assert.equal(errorBody.parse(await answer.json()).code, 'invalid_input');
    }
  });

  it('changes the plan of every key when an upgrade is paid, and back when the subscription ends', async () => {
    fakeStripe.webhooks.send(receiverAt(webhooks));
    const { checkout_url } = await api.json(upgradeResponse, '/billing/upgrade', post({ tier_id: 'pro' }));
    assert.equal(await planName(), 'free');
    payAt(checkout_url);
    await poll(planName, (plan) => plan === 'pro');
    const [subscription] = fakeStripe.ledger.subscription.values();
    fakeStripe.people.endSubscription(subscription?.id ?? '', 'canceled');
    await poll(planName, (plan) => plan === 'free');
    fakeStripe.webhooks.send(null);
  });

  it('answers 503 with a Retry-After while Stripe is unavailable', async () => {
    fakeStripe.faults.always(1, ['unavailable'], () => 0.5);
    const answer = await api.send('/billing/portal', post());
    fakeStripe.faults.clear();
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get('retry-after'), '5');
    assert.equal(errorBody.parse(JSON.parse(answer.bytes.toString('utf8'))).code, 'unavailable');
  });

  it('logs no secret or personal data, and reuses no idempotency key for another Stripe call', async () => {
    const folder = join(running.system.home, 'logs');
    const logs = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
    assert.match(logs.join('\n'), /a call to Stripe failed/);
    const { secretKey, webhookSecret } = fakeStripe;
    for (const secret of [secretKey, webhookSecret, personal.email, personal.name, personal.phone, api.key]) {
      assert.equal(
        logs.some((log) => log.includes(secret)),
        false,
        secret,
      );
    }
    assert.deepEqual(fakeStripe.violations, []);
  });
});
