import type { Schemas } from '@almanac/client';

/** An amount of the API is in the smallest unit of its currency: `$5.00`. */
export const money = ({ amount, currency }: Schemas['Money']): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: currency.toUpperCase() }).format(amount / 100);

/** `$49.00 a month`, or `free`. */
export const priceOfMonth = (price: Schemas['Money']): string =>
  price.amount === 0 ? 'free' : `${money(price)} a month`;
