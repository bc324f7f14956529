import { commerceRpc, upgradeBody } from '@almanac/contracts';
import { forwarding, type Route } from './route.js';

/** The plan as it is paid for. */
export const billingRoutes: readonly Route[] = [
  forwarding({
    method: 'post',
    path: '/billing/upgrade',
    doc: {
      operationId: 'upgradePlan',
      tag: 'Buying',
      summary: 'Upgrade the plan',
      description:
        'With a payment provider the answer has the address of a hosted checkout, and the plan changes once it is paid; without one it changes at once. The plan that one has costs nothing and changes nothing; a lower one is refused.',
    },
    given: { body: upgradeBody },
    contract: commerceRpc.upgrade,
    input: ({ body }, { idempotencyKey }) => ({ tier_id: body.tier_id, idempotency_key: idempotencyKey }),
  }),
  forwarding({
    method: 'post',
    path: '/billing/portal',
    doc: {
      operationId: 'openPortal',
      tag: 'Buying',
      summary: 'Open the billing portal',
      description: "The address of the payment provider's own page for cards, invoices and cancelling.",
    },
    given: {},
    contract: commerceRpc.portal,
    input: () => ({}),
  }),
];
