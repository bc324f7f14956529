export type { FaultKind } from './faults.js';
export { refundedOf } from './ledger.js';
export { sessionObject } from './objects/checkout-session.js';
export { chargeObject } from './objects/payment.js';
export { personal } from './objects/personal.js';
export { subscriptionObject } from './objects/subscription.js';
export { startFakeStripe, type FakeStripe, type FakeStripeOptions } from './fake-stripe.js';
export { type HeldEvent, type Receiver, receiverAt } from './webhooks.js';
