import type { CheckoutLine } from '@almanac/contracts';
import type { StripeRefund } from '../stripe/stripe.js';

/**
 * The lines whose price has been given back. A refund that names its event, by metadata, is of that line. One that does
 * not, as the dashboard makes them, takes as many whole lines as it pays for, the last one first; less than a line's
 * price is a gift, and takes nothing.
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
