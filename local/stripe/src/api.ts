import { type Form, listAt, textAt, textsAt } from './form.js';
import {
  type Customer,
  find,
  type Ledger,
  type Line,
  newId,
  nowS,
  refundedOf,
  type Refund,
  type Session,
} from './ledger.js';
import { sessionObject } from './objects/checkout-session.js';
import { customerObject, portalSessionObject } from './objects/customer.js';
import { disputeObject } from './objects/dispute.js';
import { listObject } from './objects/json.js';
import { chargeObject, paymentIntentObject, refundObject } from './objects/payment.js';
import { subscriptionObject } from './objects/subscription.js';
import { invalid } from './refusal.js';
import type { Webhooks } from './webhooks.js';

export interface ApiContext {
  readonly ledger: Ledger;
  /** Prices from Stripe's dashboard: minor units by id. */
  readonly prices: Readonly<Record<string, number>>;
  /** The URL of the fake, for its pages. */
  readonly url: () => string;
  readonly emit: Webhooks['emit'];
}

type Endpoint = (context: ApiContext, form: Form, id: string) => object;

const daySeconds = 86_400;

const customers: Record<string, Endpoint> = {
  'POST /v1/customers': ({ ledger }, form) => {
    const customer: Customer = {
      id: newId('cus'),
      created: nowS(),
      email: textAt(form, 'email') ?? null,
      metadata: textsAt(form, 'metadata'),
      deleted: false,
    };
    ledger.customer.set(customer.id, customer);
    return customerObject(customer);
  },
  'GET /v1/customers/:id': ({ ledger }, _form, id) => customerObject(find('customer', ledger.customer, id)),
  'DELETE /v1/customers/:id': ({ ledger, emit }, _form, id) => {
    const customer = find('customer', ledger.customer, id);
    Object.assign(customer, { deleted: true, email: null, metadata: {} });
    for (const subscription of ledger.subscription.values()) {
      if (subscription.customer !== id || subscription.status === 'canceled') continue;
      subscription.status = 'canceled';
      emit('customer.subscription.deleted', subscriptionObject(subscription));
    }
    return customerObject(customer);
  },
};

const sessions: Record<string, Endpoint> = {
  'POST /v1/checkout/sessions': (context, form) => {
    const session = newSession(context, form);
    context.ledger.session.set(session.id, session);
    return sessionObject(session);
  },
  'GET /v1/checkout/sessions/:id': ({ ledger }, form, id) => {
    const session = find('checkout.session', ledger.session, id);
    const object = sessionObject(session);
    const expanded = listAt(form, 'expand').includes('payment_intent');
    const payment = object.payment_intent === null ? undefined : ledger.payment.get(session.payment ?? '');
    if (!expanded || payment === undefined) return object;
    return { ...object, payment_intent: paymentIntentObject(payment) } satisfies typeof object;
  },
  'GET /v1/checkout/sessions': ({ ledger }, form) => {
    const [payment, subscription] = [textAt(form, 'payment_intent'), textAt(form, 'subscription')];
    const found = [...ledger.session.values()].filter(
      (session) =>
        (payment === undefined || session.payment === payment) &&
        (subscription === undefined || session.subscription === subscription),
    );
    return listObject('/v1/checkout/sessions', found.map(sessionObject));
  },
  'POST /v1/checkout/sessions/:id/expire': ({ ledger, emit }, _form, id) => {
    const session = find('checkout.session', ledger.session, id);
    if (session.status !== 'open') {
      throw invalid(`Only Checkout Sessions with a status in ["open"] can be expired. This one is ${session.status}.`);
    }
    session.status = 'expired';
    emit('checkout.session.expired', sessionObject(session));
    return sessionObject(session);
  },
  'POST /v1/billing_portal/sessions': ({ ledger, url }, form) => {
    const customer = find('customer', ledger.customer, textAt(form, 'customer') ?? '');
    const id = newId('bps');
    return portalSessionObject({
      id,
      created: nowS(),
      customer: customer.id,
      url: `${url()}/portal/${id}`,
      return_url: textAt(form, 'return_url') ?? null,
    });
  },
};

const moneyEndpoints: Record<string, Endpoint> = {
  'GET /v1/payment_intents/:id': ({ ledger }, form, id) => {
    const payment = find('payment_intent', ledger.payment, id);
    const object = paymentIntentObject(payment);
    const expanded = listAt(form, 'expand').includes('latest_charge');
    const charge = ledger.charge.get(payment.charge ?? '');
    if (!expanded || charge === undefined) return object;
    return { ...object, latest_charge: chargeObject(ledger, charge) } satisfies typeof object;
  },
  'GET /v1/disputes': ({ ledger }, form) => {
    const payment = textAt(form, 'payment_intent');
    const found = [...ledger.dispute.values()].filter((dispute) => dispute.payment === payment);
    return listObject('/v1/disputes', found.map(disputeObject));
  },
  'GET /v1/refunds': ({ ledger }, form) => {
    const payment = textAt(form, 'payment_intent');
    const found = [...ledger.refund.values()].filter((refund) => payment === undefined || refund.payment === payment);
    return listObject('/v1/refunds', found.toReversed().map(refundObject));
  },
  'POST /v1/refunds': (context, form) => {
    const payment = find('payment_intent', context.ledger.payment, textAt(form, 'payment_intent') ?? '');
    const amount = textAt(form, 'amount');
    return refundObject(
      refundPayment(context, {
        payment: payment.id,
        metadata: textsAt(form, 'metadata'),
        ...(amount === undefined ? {} : { amount: Number(amount) }),
      }),
    );
  },
};

const subscriptions: Record<string, Endpoint> = {
  // Without a status Stripe lists subscriptions that are not canceled.
  'GET /v1/subscriptions': ({ ledger }, form) => {
    const [customer, status] = [textAt(form, 'customer'), textAt(form, 'status')];
    const found = [...ledger.subscription.values()].filter(
      (one) => one.customer === customer && (status === 'all' || one.status !== 'canceled'),
    );
    return listObject('/v1/subscriptions', found.toReversed().map(subscriptionObject));
  },
  'DELETE /v1/subscriptions/:id': ({ ledger, emit }, _form, id) => {
    const subscription = find('subscription', ledger.subscription, id);
    if (subscription.status === 'canceled') throw invalid(`No such subscription: '${id}'`, 'id');
    subscription.status = 'canceled';
    emit('customer.subscription.deleted', subscriptionObject(subscription));
    return subscriptionObject(subscription);
  },
};

export const endpoints: Readonly<Record<string, Endpoint>> = {
  ...customers,
  ...sessions,
  ...moneyEndpoints,
  ...subscriptions,
};

const newSession = ({ ledger, prices, url }: ApiContext, form: Form): Session => {
  const mode = textAt(form, 'mode') === 'subscription' ? 'subscription' : 'payment';
  const customer = find('customer', ledger.customer, textAt(form, 'customer') ?? '');
  if (customer.deleted) throw invalid(`No such customer: '${customer.id}'`, 'customer');
  const id = newId('cs_test');
  const lines = listAt(form, 'line_items').map((item) => lineOf(item, prices));
  if (lines.length === 0 || lines.length > 100) throw invalid('A session has 1 to 100 line items.', 'line_items');
  const child = mode === 'payment' ? 'payment_intent_data' : 'subscription_data';
  const created = nowS();
  const expiresAt = Number(textAt(form, 'expires_at') ?? created + daySeconds);
  if (expiresAt < created + 1_800 - 5 || expiresAt > created + daySeconds + 5) {
    throw invalid('The `expires_at` timestamp must be between 30 minutes and 24 hours from creation.', 'expires_at');
  }
  return {
    id,
    created,
    mode,
    customer: customer.id,
    lines,
    price: textAt(form, 'line_items', 0, 'price') ?? null,
    metadata: textsAt(form, 'metadata'),
    reference: textAt(form, 'client_reference_id') ?? null,
    childMetadata: textsAt(form, child, 'metadata'),
    expiresAt,
    url: `${url()}/pay/${id}`,
    successUrl: textAt(form, 'success_url') ?? '',
    cancelUrl: textAt(form, 'cancel_url') ?? null,
    status: 'open',
    paymentStatus: 'unpaid',
    payment: null,
    subscription: null,
  };
};

const lineOf = (item: Form | string | readonly unknown[], prices: ApiContext['prices']): Line => {
  const form = item as Form;
  const price = textAt(form, 'price');
  const data = textAt(form, 'price_data', 'unit_amount');
  const quantity = Number(textAt(form, 'quantity') ?? 1);
  if (price !== undefined) {
    const amount = prices[price];
    if (amount === undefined) throw invalid(`No such price: '${price}'`, 'line_items[0][price]');
    return { name: price, amount: amount * quantity, metadata: {} };
  }
  if (data === undefined || !/^\d+$/.test(data)) throw invalid('Invalid integer.', 'line_items[0][price_data]');
  const name = textAt(form, 'price_data', 'product_data', 'name') ?? '';
  if (name === '') throw invalid('A product needs a name.', 'line_items[0][price_data][product_data][name]');
  return { name, amount: Number(data) * quantity, metadata: textsAt(form, 'price_data', 'product_data', 'metadata') };
};

/** Refunds a payment, by default the whole rest, but never more than was charged. */
export const refundPayment = (
  { ledger, emit }: Pick<ApiContext, 'ledger' | 'emit'>,
  refundRequest: { payment: string; amount?: number; metadata?: Record<string, string> },
): Refund => {
  const payment = find('payment_intent', ledger.payment, refundRequest.payment);
  const charge = find('charge', ledger.charge, payment.charge ?? '');
  const left = charge.amount - refundedOf(ledger, charge.id);
  const amount = refundRequest.amount ?? left;
  if (left === 0) throw invalid(`Charge ${charge.id} has already been refunded.`);
  if (amount > left || amount <= 0)
    throw invalid(`Refund amount (${amount}) is greater than unrefunded amount (${left})`);
  const refund: Refund = {
    id: newId('re'),
    created: nowS(),
    amount,
    charge: charge.id,
    payment: payment.id,
    metadata: refundRequest.metadata ?? {},
    status: 'succeeded',
  };
  ledger.refund.set(refund.id, refund);
  emit('charge.refunded', chargeObject(ledger, charge));
  return refund;
};
