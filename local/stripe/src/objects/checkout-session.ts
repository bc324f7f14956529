import type { Stripe } from 'stripe';
import { currency, type Session } from '../ledger.js';
import type { Json } from './json.js';
import { personal } from './personal.js';

export const sessionObject = (session: Session): Json<Stripe.Checkout.Session> => {
  const { id, created, mode, customer, metadata, status, subscription } = session;
  const amount = session.lines.reduce((sum, line) => sum + line.amount, 0);
  return {
    ...sessionDefaults,
    id,
    amount_subtotal: amount,
    amount_total: amount,
    cancel_url: session.cancelUrl,
    client_reference_id: session.reference,
    created,
    customer,
    expires_at: session.expiresAt,
    metadata,
    mode,
    payment_intent: mode === 'payment' ? session.payment : null,
    payment_status: session.paymentStatus,
    status,
    subscription,
    success_url: session.successUrl,
    // Stripe shows the URL while the page can be paid.
    url: status === 'open' ? session.url : null,
  };
};

const sessionDefaults = {
  object: 'checkout.session',
  adaptive_pricing: { enabled: false },
  after_expiration: null,
  allow_promotion_codes: null,
  allowed_payment_method_types: null,
  automatic_tax: { enabled: false, liability: null, provider: null, status: null },
  billing_address_collection: null,
  client_secret: null,
  collected_information: null,
  consent: null,
  consent_collection: null,
  currency,
  currency_conversion: null,
  custom_fields: [],
  custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
  customer_account: null,
  customer_creation: null,
  customer_details: personal,
  customer_email: null,
  discounts: [],
  integration_identifier: null,
  invoice: null,
  invoice_creation: null,
  livemode: false,
  locale: null,
  managed_payments: null,
  origin_context: null,
  payment_link: null,
  payment_method_collection: null,
  payment_method_configuration_details: null,
  payment_method_options: {},
  payment_method_types: ['card'],
  permissions: null,
  phone_number_collection: { enabled: false },
  recovered_from: null,
  saved_payment_method_options: null,
  setup_intent: null,
  shipping_address_collection: null,
  shipping_cost: null,
  shipping_options: [],
  submit_type: null,
  total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
  ui_mode: 'hosted_page',
  wallet_options: null,
} satisfies Partial<Json<Stripe.Checkout.Session>>;
