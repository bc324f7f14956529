import type { Charge, Customer, Dispute, Invoice, Ledger, Payment, Refund, Session, Subscription } from './ledger.js';
import { refundedOf, refundsOf } from './ledger.js';
import { listOf, shapeOf, type Wire } from './shapes.js';

const currency = 'usd';

export const customerWire = ({ id, created, email, metadata, deleted }: Customer): Wire =>
  deleted ? shapeOf('deleted_customer', { id }) : shapeOf('customer', { id, created, email, metadata, name: null });

export const sessionWire = (session: Session): Wire => {
  const { id, created, mode, customer, metadata, status, payment, subscription } = session;
  const amount = session.lines.reduce((sum, line) => sum + line.amount, 0);
  return shapeOf('checkout.session', {
    id,
    created,
    mode,
    customer,
    metadata,
    status,
    subscription,
    currency,
    payment_intent: mode === 'payment' ? payment : null,
    payment_status: session.paymentStatus,
    client_reference_id: session.reference,
    amount_subtotal: amount,
    amount_total: amount,
    expires_at: session.expiresAt,
    success_url: session.successUrl,
    // Stripe shows the address while one can pay there.
    url: status === 'open' ? session.url : null,
    customer_details: personal,
  });
};

/** What a buyer types in at Stripe, and what must never get into anything of ours. */
export const personal = {
  address: {
    city: 'Springfield',
    country: 'US',
    line1: '742 Evergreen Terrace',
    line2: null,
    postal_code: '49007',
    state: 'OR',
  },
  email: 'buyer.private@example.com',
  name: 'Personal Name Example',
  phone: '+15555550123',
  tax_exempt: 'none',
  tax_ids: null,
  business_name: null,
  individual_name: null,
};

export const paymentWire = ({ id, created, amount, customer, metadata, status, charge }: Payment): Wire =>
  shapeOf('payment_intent', {
    id,
    created,
    amount,
    amount_received: status === 'succeeded' ? amount : 0,
    customer,
    currency,
    metadata,
    status,
    latest_charge: charge,
    last_payment_error: null,
  });

export const chargeWire = (ledger: Ledger, charge: Charge): Wire => {
  const { id, created, amount, customer, payment, metadata, disputed } = charge;
  const refunded = refundedOf(ledger, id);
  return shapeOf('charge', {
    id,
    created,
    amount,
    amount_captured: amount,
    amount_refunded: refunded,
    captured: true,
    currency,
    customer,
    disputed,
    metadata,
    payment_intent: payment,
    refunded: refunded === amount,
    refunds: listOf(`/v1/charges/${id}/refunds`, refundsOf(ledger, id).map(refundWire)),
    billing_details: {
      address: personal.address,
      email: personal.email,
      name: personal.name,
      phone: null,
      tax_id: null,
    },
  });
};

export const refundWire = ({ id, created, amount, charge, payment, metadata, status }: Refund): Wire =>
  shapeOf('refund', { id, created, amount, charge, payment_intent: payment, metadata, status, currency });

export const subscriptionWire = (subscription: Subscription): Wire => {
  const { id, created, customer, metadata, status, price, amount } = subscription;
  const canceled = status === 'canceled';
  const item = shapeOf('subscription_item', {
    id: id.replace('sub_', 'si_'),
    created,
    subscription: id,
    current_period_start: subscription.periodStart,
    current_period_end: subscription.periodEnd,
    price: shapeOf('price', { id: price, currency, unit_amount: amount, unit_amount_decimal: String(amount) }),
    quantity: 1,
  });
  return shapeOf('subscription', {
    id,
    created,
    customer,
    metadata,
    status,
    currency,
    cancel_at: subscription.cancelAtPeriodEnd ? subscription.periodEnd : null,
    canceled_at: canceled ? subscription.periodEnd : null,
    ended_at: canceled ? subscription.periodEnd : null,
    cancel_at_period_end: subscription.cancelAtPeriodEnd,
    latest_invoice: subscription.invoice,
    items: listOf(`/v1/subscription_items?subscription=${id}`, [item]),
  });
};

export const invoiceWire = ({ id, created, amount, customer, subscription, status }: Invoice): Wire =>
  shapeOf('invoice', {
    id,
    created,
    amount_due: amount,
    amount_paid: status === 'paid' ? amount : 0,
    amount_remaining: status === 'paid' ? 0 : amount,
    billing_reason: 'subscription_cycle',
    currency,
    customer,
    customer_email: personal.email,
    customer_name: personal.name,
    status,
    parent: {
      type: 'subscription_details',
      quote_details: null,
      subscription_details: { metadata: {}, subscription, subscription_proration_date: null },
    },
  });

export const disputeWire = ({ id, created, amount, charge, payment, status }: Dispute): Wire =>
  shapeOf('dispute', { id, created, amount, charge, payment_intent: payment, status, currency, reason: 'fraudulent' });
