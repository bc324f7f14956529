import type { Bus } from '@almanac/bus';
import { dayUs } from '@almanac/contracts';
import type { Runtime } from '@almanac/runtime';
import { isBefore, type OpenAccounts, sweepEvery } from '../account/open-accounts.js';
import type { CommerceConfig } from '../config.js';
import type { CommerceContext } from '../commerce-deps.js';
import type { StripePayments } from '../stripe/stripe.js';
import { applyStripeEvents } from './apply-stripe-events.reactor.js';
import { syncSubscription } from './sync-subscription.js';

/** Applies webhooks, and ends plans whose renewal failed too long ago: no webhook reports that. */
export const startStripe = async (
  bus: Bus,
  { commerce, stripe, open }: { commerce: CommerceContext; stripe: StripePayments; open: OpenAccounts },
  { config, runtime: { log, onStop } }: { config: CommerceConfig; runtime: Runtime },
): Promise<void> => {
  const deps = { commerce, stripe, log, graceUs: config.STRIPE_GRACE_DAYS * dayUs };
  const applying = await applyStripeEvents(bus, deps);
  onStop('stripe events', () => applying.stop());
  const overdueSweep = sweepEvery({
    everyMs: config.SWEEP_EVERY_S * 1_000,
    accounts: () =>
      open.accounts().filter(({ past_due_us: sinceUs }) => isBefore(sinceUs, commerce.nowUs() - deps.graceUs)),
    // It reads the account and its subscription itself.
    stale: (account) => Promise.resolve([account]),
    close: (account) => syncSubscription(deps, account),
    onFailure: (error, account) => log.warn({ err: error, account }, 'an overdue subscription could not be ended'),
  });
  onStop('overdue plans', () => overdueSweep.stop());
};
