import type { Stripe } from 'stripe';
import { currency, type Subscription } from '../ledger.js';
import { type Json, listObject } from './json.js';

export const subscriptionObject = (subscription: Subscription): Json<Stripe.Subscription> => {
  const { id, created, customer, metadata, status, periodEnd } = subscription;
  const canceled = status === 'canceled';
  return {
    ...subscriptionDefaults,
    id,
    billing_cycle_anchor: created,
    canceled_at: canceled ? periodEnd : null,
    created,
    customer,
    ended_at: canceled ? periodEnd : null,
    items: listObject(`/v1/subscription_items?subscription=${id}`, [itemObject(subscription)]),
    latest_invoice: subscription.invoice,
    metadata,
    start_date: created,
    status,
  };
};

const subscriptionDefaults = {
  object: 'subscription',
  application: null,
  application_fee_percent: null,
  automatic_tax: { disabled_reason: null, enabled: false, liability: null },
  billing_cycle_anchor_config: null,
  billing_mode: { flexible: null, type: 'classic' },
  billing_schedules: [],
  billing_thresholds: null,
  cancel_at: null,
  cancel_at_period_end: false,
  cancellation_details: null,
  collection_method: 'charge_automatically',
  currency,
  customer_account: null,
  days_until_due: null,
  default_payment_method: null,
  default_source: null,
  default_tax_rates: [],
  description: null,
  discounts: [],
  invoice_settings: {
    account_tax_ids: null,
    custom_fields: null,
    description: null,
    footer: null,
    issuer: { type: 'self' },
  },
  livemode: false,
  managed_payments: null,
  next_pending_invoice_item_invoice: null,
  on_behalf_of: null,
  pause_collection: null,
  payment_settings: {
    payment_method_options: null,
    payment_method_types: null,
    save_default_payment_method: null,
  },
  pending_invoice_item_interval: null,
  pending_setup_intent: null,
  pending_update: null,
  schedule: null,
  test_clock: null,
  transfer_data: null,
  trial_end: null,
  trial_settings: null,
  trial_start: null,
} satisfies Partial<Json<Stripe.Subscription>>;

const itemObject = (subscription: Subscription): Json<Stripe.SubscriptionItem> => ({
  id: subscription.id.replace('sub_', 'si_'),
  object: 'subscription_item',
  billing_thresholds: null,
  created: subscription.created,
  current_period_end: subscription.periodEnd,
  current_period_start: subscription.periodStart,
  current_trial: null,
  discounts: [],
  metadata: {},
  plan: planObject(subscription),
  price: priceObject(subscription),
  quantity: 1,
  subscription: subscription.id,
  tax_rates: [],
});

const product = 'prod_standin';

const priceObject = ({ price, created, amount }: Subscription): Json<Stripe.Price> => ({
  id: price,
  object: 'price',
  active: true,
  billing_scheme: 'per_unit',
  created,
  currency,
  custom_unit_amount: null,
  livemode: false,
  lookup_key: null,
  metadata: {},
  nickname: null,
  product,
  recurring: { interval: 'month', interval_count: 1, meter: null, trial_period_days: null, usage_type: 'licensed' },
  tax_behavior: 'unspecified',
  tiers_mode: null,
  transform_quantity: null,
  type: 'recurring',
  unit_amount: amount,
  unit_amount_decimal: String(amount),
});

/** The price in the older form that Stripe still sends with each item. */
const planObject = ({ price, created, amount }: Subscription): Json<Stripe.Plan> => ({
  id: price,
  object: 'plan',
  active: true,
  amount,
  amount_decimal: String(amount),
  billing_scheme: 'per_unit',
  created,
  currency,
  interval: 'month',
  interval_count: 1,
  livemode: false,
  metadata: {},
  meter: null,
  nickname: null,
  product,
  tiers_mode: null,
  transform_usage: null,
  trial_period_days: null,
  usage_type: 'licensed',
});
