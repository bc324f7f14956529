import type { CheckoutLine } from '@almanac/contracts';
import type { StripeRefund } from '../stripe/stripe.js';

/**
 * The lines that were refunded. A refund with an event in its metadata is for that line. A refund without one, as the
 * dashboard makes them, covers as many entire lines as it pays for, the last one first. Less than a line's price covers
 * nothing.
 */
export const refundedLines = (lines: readonly CheckoutLine[], refunds: readonly StripeRefund[]): string[] => {
  const named = new Set(refunds.flatMap(({ event }) => event ?? []));
  let left = refunds.reduce((sum, { event, amount }) => sum + (event === null ? amount : 0), 0);
  const taken = new Set<string>();
  for (const { event, price } of lines.toReversed()) {
    if (named.has(event) || price > left || price === 0) continue;
    left -= price;
    taken.add(event);
  }
  return lines.map(({ event }) => event).filter((event) => named.has(event) || taken.has(event));
};
