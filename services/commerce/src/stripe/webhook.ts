import { DomainError, type StripeEventState, stripeEventTypes } from '@almanac/contracts';
import type { Stripe } from 'stripe';
import { z } from 'zod';

const toleranceS = 300;

const reference = z
  .union([z.string(), z.looseObject({ id: z.string() }).transform(({ id }) => id)])
  .nullish()
  .transform((id) => id ?? null);
const metadata = z.looseObject({ account: z.string().optional() }).nullish();

/** Only ids are stored from an event. The object is read again from Stripe, and personal data stays out. */
const anyEvent = z.looseObject({ id: z.string(), type: z.string() });
const knownEvent = z.object({
  id: z.string(),
  type: z.enum(stripeEventTypes),
  created: z.int(),
  data: z.object({
    object: z.looseObject({
      id: z.string(),
      object: z.string(),
      customer: reference,
      payment_intent: reference,
      metadata,
    }),
  }),
});

/** A verified webhook of at most 300 s, or null for an unused type. Throws `invalid_input` without its contents. */
export const readWebhook = (
  webhooks: Stripe['webhooks'],
  secret: string,
  { body, signature }: { body: Uint8Array; signature: string },
): StripeEventState | null => {
  const event = verified(webhooks, secret, { body, signature });
  const { type: name } = fitting(anyEvent, event);
  if (!stripeEventTypes.some((one) => one === name)) return null;
  const { id, type, created, data } = fitting(knownEvent, event);
  const { object } = data;
  return {
    id,
    type,
    created_us: created * 1e6,
    session: object.object === 'checkout.session' ? object.id : null,
    payment: object.payment_intent,
    customer: object.customer,
    account: object.metadata?.account ?? null,
  };
};

const fitting = <Out>(shape: z.ZodType<Out>, event: unknown): Out => {
  const { success, data } = shape.safeParse(event);
  if (!success)
    throw new DomainError(
      'invalid_input',
      'The signature is valid, but the body is not a Stripe event that this server supports.',
    );
  return data;
};

const verified = (
  webhooks: Stripe['webhooks'],
  secret: string,
  { body, signature }: { body: Uint8Array; signature: string },
): unknown => {
  try {
    return webhooks.constructEvent(body, signature, secret, toleranceS);
  } catch {
    // The SDK only computes here. It has plain errors for a signature that is empty or not ASCII, which anybody can send.
    // Without a cause: its error contains the entire body.
    throw new DomainError(
      'invalid_input',
      'The signature does not match the body, or it is too old. Check the signing secret of the webhook.',
    );
  }
};
