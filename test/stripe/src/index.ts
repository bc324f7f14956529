export type { FaultKind } from './faults.js';
export { personal } from './wire.js';
export { fixturesMissing } from './shapes.js';
export { refundedOf } from './ledger.js';
export { startStripeStandIn, type StandIn, type StandInOptions } from './stand-in.js';
export { type HeldEvent, type Receiver, receiverAt } from './webhooks.js';
