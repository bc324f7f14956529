import type { AccountState } from '@almanac/contracts';
import { processMetrics, readGauge } from '@almanac/runtime';
import { Counter, type Registry } from 'prom-client';

const registers = [processMetrics];

/** What claims on exports come to: reserved, confirmed by a ready file, or released. */
export const countGrant = (outcome: 'reserved' | 'confirmed' | 'released'): void => grants.inc({ outcome });

const grants = new Counter({
  name: 'almanac_grants_total',
  help: 'claims of exports on plans, credits and purchases: reserved, then confirmed or released',
  labelNames: ['outcome'],
  registers,
});

/** A step of a purchase that this process recorded, by the status that it led to. */
export const countCheckout = (status: string): void => checkouts.inc({ outcome: status });

const checkouts = new Counter({
  name: 'almanac_checkouts_total',
  help: 'steps of purchases: started, opened at the payment provider, paid, then fulfilled, expired or refunded',
  labelNames: ['outcome'],
  registers,
});

/** A call to the payment provider that failed. */
export const countPaymentFailure = (): void => paymentFailures.inc();

const paymentFailures = new Counter({
  name: 'almanac_payment_failures_total',
  help: 'calls to the payment provider that failed',
  registers,
});

/** What is open, of all accounts: each process of this service follows all of them and tells the same. */
export const openMetrics = (register: Registry, states: () => Iterable<AccountState>): void => {
  const sum = (count: (state: AccountState) => number) => (): number => {
    let open = 0;
    for (const state of states()) open += count(state);
    return open;
  };
  const claims = {
    name: 'almanac_reservations_open',
    help: 'claims of exports that are neither confirmed nor released; the same in every process',
  };
  readGauge(
    register,
    claims,
    sum(({ reservations }) => Object.keys(reservations).length),
  );
  const purchases = {
    name: 'almanac_checkouts_open',
    help: 'purchases that are not at their end; the same in every process',
  };
  readGauge(
    register,
    purchases,
    sum(({ checkout }) => (checkout === null ? 0 : 1)),
  );
};
