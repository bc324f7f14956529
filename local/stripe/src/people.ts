import { type ApiContext, refundPayment } from './api.js';
import {
  type Charge,
  type Dispute,
  find,
  type Invoice,
  newId,
  nowS,
  type Payment,
  type Refund,
  type Session,
  type Subscription,
} from './ledger.js';
import { sessionObject } from './objects/checkout-session.js';
import { disputeObject } from './objects/dispute.js';
import { invoiceObject } from './objects/invoice.js';
import { chargeObject } from './objects/payment.js';
import { subscriptionObject } from './objects/subscription.js';

const monthSeconds = 30 * 86_400;

type PeopleContext = Pick<ApiContext, 'ledger' | 'emit'>;

/** What people do at Stripe: buyers on its pages, banks, and the operator in the dashboard. */
export interface People {
  /** The buyer pays. Throws when the page is no longer open. */
  pay(sessionId: string): void;
  /** The buyer pays in a way that takes days. `clear` and `bounce` end it. */
  payLater(sessionId: string): void;
  clear(sessionId: string): void;
  bounce(sessionId: string): void;
  /** The page expires. */
  expire(sessionId: string): void;
  /** Refunds in the dashboard, by default the whole rest. */
  refund(paymentId: string, amount?: number): Refund;
  dispute(paymentId: string): Dispute;
  endDispute(disputeId: string, status: 'won' | 'lost'): void;
  /** A renewal that fails, and one that succeeds. */
  failRenewal(subscriptionId: string): void;
  renew(subscriptionId: string): void;
  /** Stripe gives up after failed payments, or the customer cancels in the portal. */
  endSubscription(subscriptionId: string, status: 'unpaid' | 'canceled'): void;
}

export const createPeople = (context: PeopleContext): People => {
  const { ledger, emit } = context;
  const open = (id: string): Session => {
    const session = find('checkout.session', ledger.session, id);
    if (session.status !== 'open') throw new Error(`the page of ${id} is ${session.status}`);
    return session;
  };
  const pending = (id: string): [Session, Payment] => {
    const session = find('checkout.session', ledger.session, id);
    const payment = find('payment_intent', ledger.payment, session.payment ?? '');
    if (payment.status !== 'processing') throw new Error(`nothing is under way for ${id}`);
    return [session, payment];
  };
  return {
    pay: (id) => {
      const session = open(id);
      session.status = 'complete';
      session.paymentStatus = 'paid';
      if (session.mode === 'subscription') subscribe(context, session);
      else succeed(context, begin(context, session));
      emit('checkout.session.completed', sessionObject(session));
    },
    payLater: (id) => {
      const session = open(id);
      session.status = 'complete';
      begin(context, session);
      emit('checkout.session.completed', sessionObject(session));
    },
    clear: (id) => {
      const [session, payment] = pending(id);
      session.paymentStatus = 'paid';
      succeed(context, payment);
      emit('checkout.session.async_payment_succeeded', sessionObject(session));
    },
    bounce: (id) => {
      const [session, payment] = pending(id);
      payment.status = 'requires_payment_method';
      emit('checkout.session.async_payment_failed', sessionObject(session));
    },
    expire: (id) => {
      const session = open(id);
      session.status = 'expired';
      emit('checkout.session.expired', sessionObject(session));
    },
    refund: (payment, amount) => refundPayment(context, { payment, ...(amount === undefined ? {} : { amount }) }),
    dispute: (id) => dispute(context, id),
    endDispute: (id, status) => {
      const found = find('dispute', ledger.dispute, id);
      found.status = status;
      emit('charge.dispute.closed', disputeObject(found));
    },
    ...months(context),
  };
};

const months = (context: PeopleContext): Pick<People, 'failRenewal' | 'renew' | 'endSubscription'> => {
  const { ledger, emit } = context;
  return {
    failRenewal: (id) => {
      const subscription = find('subscription', ledger.subscription, id);
      subscription.status = 'past_due';
      const invoice = bill(context, subscription, 'open');
      emit('invoice.payment_failed', invoiceObject(invoice));
      emit('customer.subscription.updated', subscriptionObject(subscription));
    },
    renew: (id) => {
      const subscription = find('subscription', ledger.subscription, id);
      subscription.status = 'active';
      Object.assign(subscription, { periodStart: subscription.periodEnd });
      subscription.periodEnd += monthSeconds;
      emit('invoice.paid', invoiceObject(bill(context, subscription, 'paid')));
      emit('customer.subscription.updated', subscriptionObject(subscription));
    },
    endSubscription: (id, status) => {
      const subscription = find('subscription', ledger.subscription, id);
      subscription.status = status;
      const type = status === 'canceled' ? 'customer.subscription.deleted' : 'customer.subscription.updated';
      emit(type, subscriptionObject(subscription));
    },
  };
};

const amountOf = ({ lines }: Session): number => lines.reduce((sum, { amount }) => sum + amount, 0);

const begin = ({ ledger }: PeopleContext, session: Session): Payment => {
  const payment: Payment = {
    id: newId('pi'),
    created: nowS(),
    amount: amountOf(session),
    customer: session.customer,
    metadata: session.childMetadata,
    status: 'processing',
    charge: null,
  };
  ledger.payment.set(payment.id, payment);
  session.payment = payment.id;
  return payment;
};

const succeed = ({ ledger, emit }: PeopleContext, payment: Payment): void => {
  const { amount, customer, metadata } = payment;
  const charge: Charge = {
    id: newId('ch'),
    created: nowS(),
    amount,
    customer,
    payment: payment.id,
    metadata,
    disputed: false,
  };
  ledger.charge.set(charge.id, charge);
  payment.status = 'succeeded';
  payment.charge = charge.id;
  emit('charge.succeeded', chargeObject(ledger, charge));
};

const subscribe = (context: PeopleContext, session: Session): void => {
  const created = nowS();
  const subscription: Subscription = {
    id: newId('sub'),
    created,
    customer: session.customer,
    metadata: session.childMetadata,
    price: session.price ?? newId('price'),
    amount: amountOf(session),
    status: 'active',
    periodStart: created,
    periodEnd: created + monthSeconds,
    invoice: '',
  };
  context.ledger.subscription.set(subscription.id, subscription);
  session.subscription = subscription.id;
  context.emit('customer.subscription.created', subscriptionObject(subscription));
  context.emit('invoice.paid', invoiceObject(bill(context, subscription, 'paid')));
};

const bill = ({ ledger }: PeopleContext, subscription: Subscription, status: Invoice['status']): Invoice => {
  const { amount, customer, id } = subscription;
  const invoice: Invoice = { id: newId('in'), created: nowS(), amount, customer, subscription: id, status };
  ledger.invoice.set(invoice.id, invoice);
  subscription.invoice = invoice.id;
  return invoice;
};

const dispute = ({ ledger, emit }: PeopleContext, paymentId: string): Dispute => {
  const payment = find('payment_intent', ledger.payment, paymentId);
  const charge = find('charge', ledger.charge, payment.charge ?? '');
  charge.disputed = true;
  const made: Dispute = {
    id: newId('dp'),
    created: nowS(),
    amount: charge.amount,
    charge: charge.id,
    payment: paymentId,
    status: 'needs_response',
  };
  ledger.dispute.set(made.id, made);
  emit('charge.dispute.created', disputeObject(made));
  return made;
};
