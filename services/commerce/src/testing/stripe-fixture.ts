import { randomUUID } from 'node:crypto';
import { commerceRpc, DomainError } from '@almanac/contracts';
import { type Receiver, type FakeStripe, type FakeStripeOptions, startFakeStripe } from '@almanac/fake-stripe';
import type { CommerceConfig } from '../config.js';
import { startFixture, type CommerceFixture } from './fixture.js';

/** This service with a fake Stripe, whose webhooks arrive as the gateway passes them on. */
export interface StripeFixture extends CommerceFixture {
  readonly fakeStripe: FakeStripe;
  readonly webhook: Receiver;
  /** Sends a webhook, and returns the code of the refusal or `ok`. */
  sendWebhook(body: string, signature: string): Promise<string>;
}

export const startStripeFixture = async (options: FakeStripeOptions = {}): Promise<StripeFixture> => {
  const fakeStripe = await startFakeStripe(options);
  const fixture = await startFixture();
  const sendWebhook = async (body: string, signature: string): Promise<string> => {
    const call = { input: { signature }, context: { requestId: randomUUID() }, body: Buffer.from(body) };
    try {
      await fixture.gateway.call(commerceRpc.stripeWebhook, call);
      return 'ok';
    } catch (error) {
      if (error instanceof DomainError) return error.code;
      throw error;
    }
  };
  return {
    ...fixture,
    fakeStripe,
    sendWebhook,
    webhook: async (body, signature) => ((await sendWebhook(body, signature)) === 'ok' ? 200 : 503),
    start: (changes: Partial<CommerceConfig> = {}) =>
      fixture.start({
        STRIPE_SECRET_KEY: fakeStripe.secretKey,
        STRIPE_WEBHOOK_SECRET: fakeStripe.webhookSecret,
        STRIPE_API_URL: fakeStripe.url,
        ...changes,
      }),
    stop: async () => {
      await fakeStripe.stop();
      await fixture.stop();
    },
  };
};
