import { after, before, describe } from 'node:test';
import { processNames } from '@almanac/contracts';
import type { ServerStarters } from '@almanac/local-servers';
import { type FakeStripe, startFakeStripe } from '@almanac/fake-stripe';
import { serversWithTables } from '@almanac/testing';
import { type SystemHarness, startHarness } from './harness.js';
import { redisReader, secretsSuite } from './money/secrets-suite.js';
import { stripeSuite } from './money/stripe-suite.js';

/** One system that logs all that it can, for what must not be in its logs. */
describe('a system with secrets of its own, of accounts and of Stripe', { timeout: 580_000 }, () => {
  let stripe: FakeStripe;
  let running: SystemHarness;
  before(async () => {
    stripe = await startFakeStripe();
    const { secretKey, webhookSecret, url } = stripe;
    const payments = { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_API_URL: url };
    const traced = Object.fromEntries(processNames.map((service) => [service, { LOG_LEVEL: 'trace' }]));
    const servers = await serversWithTables();
    const redis: ServerStarters['redis'] = ({ users = [], ...options }) =>
      servers.redis({ ...options, users: [...users, redisReader] });
    const environment = { ...traced, commerce: { LOG_LEVEL: 'trace', ...payments } };
    running = await startHarness({ environment, servers: { ...servers, redis } });
  });
  after(async () => {
    await stripe.stop();
    await running.stop();
  });

  stripeSuite(
    () => running,
    () => stripe,
  );
  secretsSuite(() => running);
});
