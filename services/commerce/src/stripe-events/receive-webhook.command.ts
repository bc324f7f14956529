import { subjects } from '@almanac/bus';
import type { RpcContext } from '@almanac/bus/server';
import {
  type commerceRpc,
  DomainError,
  type InputOf,
  type OutputOf,
  type StoredEvent,
  type StripeEventState,
} from '@almanac/contracts';
import { ConflictError, type EventStore } from '@almanac/event-store';
import { uuidV5 } from '@almanac/runtime';
import type { Payments } from '../payments.js';
import type { StripePayments } from '../stripe/stripe.js';

export interface WebhookDeps {
  readonly store: EventStore;
  readonly payments: Payments | StripePayments;
  readonly nowUs: () => number;
}

/**
 * Stores a webhook once for each Stripe id. The sender waits only for this, and the reactor applies it. Throws
 * `invalid_input` for a wrong signature, an old time, and in stub mode, where no signature is right. Stripe retries for
 * three days after any error, so the operator can fix the configuration.
 */
export const receiveWebhook = async (
  { store, payments, nowUs }: WebhookDeps,
  { signature }: InputOf<typeof commerceRpc.stripeWebhook>,
  { body }: RpcContext,
): Promise<OutputOf<typeof commerceRpc.stripeWebhook>> => {
  if (!('readWebhook' in payments)) {
    throw new DomainError(
      'invalid_input',
      'This server has no payment provider. Configure Stripe, then send the event again.',
    );
  }
  const state = payments.readWebhook({ body, signature });
  if (state !== null) await storeOnce(store, state, nowUs());
  return { received: true };
};

const storeOnce = async (store: EventStore, state: StripeEventState, time: number): Promise<void> => {
  const event: StoredEvent<StripeEventState> = {
    id: uuidV5(`stripe event\n${state.id}`),
    type: 'StripeEventReceived',
    version: 1,
    time,
    account: state.account,
    data: state,
    state,
  };
  try {
    await store.append(subjects.stripeEvent(state.id), event, 0);
  } catch (error) {
    // Already stored: Stripe repeats webhooks, even after days.
    if (!(error instanceof ConflictError)) throw error;
  }
};
