import { commerceRpc, upgradeBody } from '@almanac/contracts';
import { forwarding, type Route } from './route.js';

export const billingRoutes: readonly Route[] = [
  forwarding({
    method: 'post',
    path: '/billing/upgrade',
    costs: true,
    doc: {
      operationId: 'upgradePlan',
      tag: 'Buying',
      summary: 'Upgrade the plan',
      description:
        'If the server has a payment provider, the answer has the URL of a hosted checkout, and the plan changes after the payment. Otherwise the plan changes at once. An upgrade to the current plan changes nothing and is free. A change to a lower plan returns an error.',
    },
    given: { body: upgradeBody },
    contract: commerceRpc.upgrade,
    input: ({ body }, { idempotencyKey }) => ({ tier_id: body.tier_id, idempotency_key: idempotencyKey }),
  }),
  forwarding({
    method: 'post',
    path: '/billing/portal',
    costs: true,
    doc: {
      operationId: 'openPortal',
      tag: 'Buying',
      summary: 'Open the billing portal',
      description:
        'Returns the URL of the billing portal of the payment provider, for cards, invoices and cancellation.',
    },
    given: {},
    contract: commerceRpc.portal,
    input: () => ({}),
  }),
];
