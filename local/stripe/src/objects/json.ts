import type { Stripe } from 'stripe';

/** The JSON form of an SDK type: the SDK parses decimals, which Stripe sends as strings. */
export type Json<T> = T extends string | number | boolean | null | undefined | void
  ? T
  : T extends Stripe.Decimal
    ? string
    : { [K in keyof T]: Json<T[K]> };

export const listObject = <T>(url: string, data: T[]): Stripe.ApiList<T> => ({
  object: 'list',
  data,
  has_more: false,
  url,
});
