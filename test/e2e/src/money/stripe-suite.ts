import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { cartResponse, checkoutResponse, marketsResponse, upgradeResponse } from '@almanac/contracts';
import { storeGeneratedArchive } from '@almanac/operator';
import { type FakeStripe, personal, receiverAt } from '@almanac/fake-stripe';
import { z } from 'zod';
import { type ApiClient, errorBody, poll, post } from '../api.js';
import { createExport, endedExport } from '../exports.js';
import type { SystemHarness } from '../harness.js';

/** Tests of payments of a system that calls this fake Stripe, up to what its log shows of them. */
export const stripeSuite = (system: () => SystemHarness, stripe: () => FakeStripe): void => {
  describe('a system that takes money with Stripe', () => {
    let fakeStripe: FakeStripe;
    let running: SystemHarness;
    let api: ApiClient;
    let webhooks = '';
    before(async () => {
      [running, fakeStripe] = [system(), stripe()];
      await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
      api = await running.client('free');
      webhooks = `${running.system.baseUrls[0]}/webhooks/stripe`;
    });

    const payAt = (url: string | null) => fakeStripe.people.pay(url?.split('/').at(-1) ?? '');
    const cart = () => api.json(cartResponse, '/cart');
    const planName = async () =>
      (await api.json(z.looseObject({ plan: z.object({ id: z.string() }) }), '/plan')).plan.id;

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
        // The plan allows one pending export.
        const { id, grant } = await createExport(api, { event, streams: ['snapshots', 'l2'] });
        assert.equal(grant, 'unlock');
        assert.equal((await endedExport(api, id)).status, 'ready');
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
      const { status, headers, bytes } = await api.send('/billing/portal', post());
      fakeStripe.faults.clear();
      assert.deepEqual([status, headers.get('retry-after')], [503, '5']);
      assert.equal(errorBody.parse(JSON.parse(bytes.toString('utf8'))).code, 'unavailable');
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
};
