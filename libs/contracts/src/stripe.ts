import { z } from 'zod';
import { micros } from './numbers.js';

/** The events of Stripe that change something here; all others are answered and forgotten. */
export const stripeEventTypes = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'invoice.paid',
  'invoice.payment_failed',
  'charge.refunded',
  'charge.dispute.created',
  'charge.dispute.closed',
] as const;

/** What arrived, reduced to ids: whose it is and what it is about, and nothing of a person. */
export const stripeEventState = z.object({
  id: z.string(),
  type: z.enum(stripeEventTypes),
  created_us: micros,
  session: z.string().nullable(),
  payment: z.string().nullable(),
  customer: z.string().nullable(),
  /** As we once wrote it on the thing at Stripe. */
  account: z.string().nullable(),
});
export type StripeEventState = z.infer<typeof stripeEventState>;
