import { randomUUID } from 'node:crypto';
import { commerceRpc, DomainError } from '@almanac/contracts';
import { type Receiver, type StandIn, type StandInOptions, startStripeStandIn } from '@almanac/test-stripe';
import type { CommerceConfig } from '../config.js';
import { startWorld, type World } from './world.js';

/** This service with a stand-in for Stripe, whose webhooks come in as the gateway hands them on. */
export interface StripeWorld extends World {
  readonly standIn: StandIn;
  readonly webhook: Receiver;
  /** The same, as HTTP would answer: the code of the refusal, or `ok`. */
  tell(body: string, signature: string): Promise<string>;
}

export const startStripeWorld = async (options: StandInOptions = {}): Promise<StripeWorld> => {
  const standIn = await startStripeStandIn(options);
  const world = await startWorld();
  const tell = async (body: string, signature: string): Promise<string> => {
    const call = { input: { signature }, context: { requestId: randomUUID() }, body: Buffer.from(body) };
    try {
      await world.gateway.call(commerceRpc.stripeWebhook, call);
      return 'ok';
    } catch (error) {
      if (error instanceof DomainError) return error.code;
      throw error;
    }
  };
  return {
    ...world,
    standIn,
    tell,
    webhook: async (body, signature) => ((await tell(body, signature)) === 'ok' ? 200 : 503),
    start: (changes: Partial<CommerceConfig> = {}) =>
      world.start({
        STRIPE_SECRET_KEY: standIn.secretKey,
        STRIPE_WEBHOOK_SECRET: standIn.webhookSecret,
        STRIPE_API_URL: standIn.url,
        ...changes,
      }),
    stop: async () => {
      await standIn.stop();
      await world.stop();
    },
  };
};
