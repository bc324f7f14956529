import { z } from 'zod';
import { eventTypesOf } from '../events/events.js';
import { micros } from '../requests/numbers.js';

/** The Stripe events that this system handles. Others are acknowledged and ignored. */
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

/** A received Stripe event, reduced to ids without personal data. */
export const stripeEventState = z.object({
  id: z.string(),
  type: z.enum(stripeEventTypes),
  created_us: micros,
  session: z.string().nullable(),
  payment: z.string().nullable(),
  customer: z.string().nullable(),
  /** The account id in the metadata of the Stripe object. */
  account: z.string().nullable(),
});
eventTypesOf(stripeEventState, ['StripeEventReceived']);
export type StripeEventState = z.infer<typeof stripeEventState>;
