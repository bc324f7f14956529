import type { Stripe } from 'stripe';
import { type Charge, currency, type Ledger, type Payment, type Refund, refundedOf } from '../ledger.js';
import type { Json } from './json.js';
import { personal } from './personal.js';

export const paymentIntentObject = (payment: Payment): Json<Stripe.PaymentIntent> => {
  const { id, created, amount, customer, metadata, status, charge } = payment;
  return {
    ...paymentIntentDefaults,
    id,
    amount,
    amount_received: status === 'succeeded' ? amount : 0,
    client_secret: `${id}_secret`,
    created,
    customer,
    latest_charge: charge,
    metadata,
    status,
  };
};

const paymentIntentDefaults = {
  object: 'payment_intent',
  allowed_payment_method_types: null,
  amount_capturable: 0,
  application: null,
  application_fee_amount: null,
  automatic_payment_methods: null,
  canceled_at: null,
  cancellation_reason: null,
  capture_method: 'automatic',
  confirmation_method: 'automatic',
  currency,
  customer_account: null,
  description: null,
  excluded_payment_method_types: null,
  last_payment_error: null,
  livemode: false,
  managed_payments: null,
  next_action: null,
  on_behalf_of: null,
  payment_method: null,
  payment_method_configuration_details: null,
  payment_method_options: {},
  payment_method_types: ['card'],
  payment_record: null,
  processing: null,
  receipt_email: null,
  review: null,
  setup_future_usage: null,
  shipping: null,
  source: null,
  statement_descriptor: null,
  statement_descriptor_suffix: null,
  transfer_data: null,
  transfer_group: null,
} satisfies Partial<Json<Stripe.PaymentIntent>>;

export const chargeObject = (ledger: Ledger, charge: Charge): Json<Stripe.Charge> => {
  const { id, created, amount, customer, payment, metadata, disputed } = charge;
  const refunded = refundedOf(ledger, id);
  return {
    ...chargeDefaults,
    id,
    amount,
    amount_captured: amount,
    amount_refunded: refunded,
    balance_transaction: id.replace('ch_', 'txn_'),
    created,
    customer,
    disputed,
    metadata,
    payment_intent: payment,
    refunded: refunded === amount,
  };
};

const chargeDefaults = {
  object: 'charge',
  application: null,
  application_fee: null,
  application_fee_amount: null,
  billing_details: {
    address: personal.address,
    email: personal.email,
    name: personal.name,
    phone: null,
    tax_id: null,
  },
  calculated_statement_descriptor: null,
  captured: true,
  currency,
  description: null,
  failure_balance_transaction: null,
  failure_code: null,
  failure_message: null,
  fraud_details: {},
  livemode: false,
  on_behalf_of: null,
  outcome: null,
  paid: true,
  payment_method: null,
  payment_method_details: null,
  receipt_email: null,
  receipt_number: null,
  receipt_url: null,
  review: null,
  shipping: null,
  source: null,
  source_transfer: null,
  statement_descriptor: null,
  statement_descriptor_suffix: null,
  status: 'succeeded',
  transfer_data: null,
  transfer_group: null,
} satisfies Partial<Json<Stripe.Charge>>;

export const refundObject = (refund: Refund): Json<Stripe.Refund> => ({
  id: refund.id,
  object: 'refund',
  amount: refund.amount,
  balance_transaction: refund.id.replace('re_', 'txn_'),
  charge: refund.charge,
  created: refund.created,
  currency,
  customer: null,
  customer_account: null,
  metadata: refund.metadata,
  payment_intent: refund.payment,
  payment_method: null,
  reason: null,
  receipt_number: null,
  source_transfer_reversal: null,
  status: refund.status,
  transfer_reversal: null,
});
