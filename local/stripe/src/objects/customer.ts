import type { Stripe } from 'stripe';
import type { Customer } from '../ledger.js';
import type { Json } from './json.js';

export const customerObject = (customer: Customer): Json<Stripe.Customer | Stripe.DeletedCustomer> => {
  const { id, created, email, metadata, deleted } = customer;
  if (deleted) return { id, object: 'customer', deleted: true };
  return {
    id,
    object: 'customer',
    address: null,
    balance: 0,
    created,
    currency: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email,
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    livemode: false,
    metadata,
    name: null,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  };
};

type PortalSession = Json<Stripe.BillingPortal.Session>;

export const portalSessionObject = (
  session: Pick<PortalSession, 'id' | 'created' | 'customer' | 'return_url' | 'url'>,
): PortalSession => ({
  ...session,
  object: 'billing_portal.session',
  configuration: 'bpc_standin',
  customer_account: null,
  flow: null,
  livemode: false,
  locale: null,
  on_behalf_of: null,
});
