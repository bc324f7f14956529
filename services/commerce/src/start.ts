import { connectFromConfig, ensureDeadLetters, ensurePersonal, ensureStream } from '@almanac/bus';
import { serveService } from '@almanac/bus/server';
import { jetStreamStore } from '@almanac/event-store';
import type { Runtime } from '@almanac/runtime';
import { unixMicros } from '@almanac/runtime';
import { createAccounts, loadAccount } from './account/accounts.js';
import { followOpenAccounts, isBefore, type OpenAccounts, sweepEvery } from './account/open-accounts.js';
import { settleReservations } from './account/settle-reservations.reactor.js';
import { openReservations, sweepReservation } from './account/sweep-reservations.js';
import { fulfilCheckouts } from './checkout/fulfil-checkouts.reactor.js';
import { staleCheckouts, sweepCheckout } from './checkout/sweep-checkouts.js';
import { commerceController } from './commerce.controller.js';
import type { CommerceConfig } from './config.js';
import { countPaymentFailure, openMetrics } from './metrics.js';
import type { CommerceContext } from './commerce-deps.js';
import { personRecords } from './personal/person-records.js';
import { startStripe } from './stripe-events/start-stripe.js';
import { stripeSettings } from './stripe/config.js';
import { stripePayments } from './stripe/stripe.js';
import { finishUpgrades } from './upgrade/finish-upgrades.reactor.js';

export const startCommerce = async (
  config: CommerceConfig,
  runtime: Runtime,
  nowUs: () => number = unixMicros,
): Promise<void> => {
  const { log, onStop } = runtime;
  const settings = stripeSettings(config);
  const stripe =
    settings &&
    stripePayments(settings, {
      onFailure: (error) => {
        countPaymentFailure();
        log.warn({ err: error }, 'a call to Stripe failed');
      },
    });
  const bus = await connectFromConfig(config, runtime);
  await ensureDeadLetters(bus);
  await ensureStream(bus, 'EVT_COMMERCE');
  await ensureStream(bus, 'EVT_STRIPE');
  await ensurePersonal(bus);
  const store = jetStreamStore(bus);
  const commerce: CommerceContext = {
    store,
    accounts: createAccounts(store, nowUs),
    payments: stripe ?? { mode: 'stub' },
    terms: { plans: config.PLAN_TERMS, eventPrice: config.EVENT_PRICE, credits: config.FREE_CREDITS },
    nowUs,
  };
  const settling = await settleReservations(bus, commerce, log);
  onStop('settling', () => settling.stop());
  const fulfilling = await fulfilCheckouts(bus, commerce, log);
  onStop('fulfilling', () => fulfilling.stop());
  const upgrading = await finishUpgrades(bus, commerce, log);
  onStop('upgrading', () => upgrading.stop());
  const open = await followOpenAccounts(bus, store, {
    log,
    nowUs,
    checkpointEveryMs: config.SWEEP_EVERY_S * 1_000,
  });
  onStop('open accounts', () => open.stop());
  runtime.health.checks.set('open_accounts', () => open.behind());
  openMetrics(runtime.health.metrics, open.accounts);
  startSweeps(commerce, open, { config, runtime });
  if (stripe !== null) await startStripe(bus, { commerce, stripe, open }, { config, runtime });
  const calls = await serveService(bus, 'commerce', commerceController(commerce, personRecords(bus)), log);
  onStop('calls', () => calls.stop());
};

const startSweeps = (
  commerce: CommerceContext,
  open: OpenAccounts,
  { config, runtime: { log, onStop } }: { config: CommerceConfig; runtime: Runtime },
): void => {
  const { nowUs } = commerce;
  const everyMs = config.SWEEP_EVERY_S * 1_000;
  const reservedBeforeUs = (): number => nowUs() - config.SWEEP_AFTER_S * 1e6;
  const reservations = sweepEvery({
    everyMs,
    accounts: () => open.accounts().filter(({ reserved_us: sinceUs }) => isBefore(sinceUs, reservedBeforeUs())),
    stale: async (account) => {
      const state = await loadAccount(commerce.store, account);
      return state === undefined ? [] : openReservations(state, reservedBeforeUs());
    },
    close: (stale) => sweepReservation(commerce, stale),
    onFailure: (error, account, stale) =>
      log.warn({ err: error, account, export_id: stale?.exportId }, 'the sweep could not settle a reservation'),
  });
  onStop('reservation sweep', () => reservations.stop());
  const openedBeforeUs = (): number => nowUs() - config.CHECKOUT_SWEEP_AFTER_S * 1e6;
  const checkouts = sweepEvery({
    everyMs,
    accounts: () => open.accounts().filter(({ checkout_us: sinceUs }) => isBefore(sinceUs, openedBeforeUs())),
    stale: async (account) => {
      const state = await loadAccount(commerce.store, account);
      return state === undefined ? [] : staleCheckouts(state, openedBeforeUs());
    },
    close: (stale) => sweepCheckout(commerce, stale),
    onFailure: (error, account, stale) =>
      log.warn({ err: error, account, checkout: stale?.checkout.id }, 'the sweep could not settle a checkout'),
  });
  onStop('checkout sweep', () => checkouts.stop());
};
