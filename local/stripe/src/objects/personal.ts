import type { Stripe } from 'stripe';
import type { Json } from './json.js';

/** The personal data that a buyer enters at Stripe. None of it may reach a store or a log of the system. */
export const personal = {
  address: {
    city: 'Springfield',
    country: 'US',
    line1: '742 Evergreen Terrace',
    line2: null,
    postal_code: '49007',
    state: 'OR',
  },
  business_name: null,
  email: 'buyer.private@example.com',
  individual_name: null,
  name: 'Personal Name Example',
  phone: '+15555550123',
  tax_exempt: 'none',
  tax_ids: null,
} satisfies Json<Stripe.Checkout.Session.CustomerDetails>;
