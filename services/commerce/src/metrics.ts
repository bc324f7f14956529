import type { OpenAccount } from '@almanac/contracts';
import { counter, readGauge } from '@almanac/runtime';
import type { Registry } from 'prom-client';

export const countGrant = (outcome: 'reserved' | 'confirmed' | 'released'): void => grants.inc({ outcome });

const grants = counter(
  'almanac_grants_total',
  'grants of exports by plans, credits and purchases: reserved, then confirmed or released',
  ['outcome'],
);

export const countCheckout = (status: string): void => checkouts.inc({ outcome: status });

const checkouts = counter(
  'almanac_checkouts_total',
  'steps of purchases: started, opened at the payment provider, paid, then fulfilled, expired or refunded',
  ['outcome'],
);

export const countPaymentFailure = (): void => paymentFailures.inc();

const paymentFailures = counter('almanac_payment_failures_total', 'calls to the payment provider that failed');

/** Gauges of what is open in all accounts. Each process follows all accounts, so each reports the same. */
export const openMetrics = (register: Registry, accounts: () => readonly OpenAccount[]): void => {
  const sum = (count: (account: OpenAccount) => number) => (): number => {
    let open = 0;
    for (const account of accounts()) open += count(account);
    return open;
  };
  readGauge(
    'almanac_reservations_open',
    'grants that are neither confirmed nor released; the same in every process',
    sum(({ reservations }) => reservations),
    register,
  );
  readGauge(
    'almanac_checkouts_open',
    'purchases that are not finished; the same in every process',
    sum(({ checkout_us: since }) => (since === undefined ? 0 : 1)),
    register,
  );
};
