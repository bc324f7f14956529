import type { Schemas } from '@almanac/client';

/** An amount of the API is in the smallest unit of its currency: `$5.00`. */
export const money = ({ amount, currency }: Schemas['Money']): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: currency.toUpperCase() }).format(amount / 100);
