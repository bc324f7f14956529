import { cartEventBody, commerceRpc } from '@almanac/contracts';
import { forwarding, type Route } from './route.js';

export const cartRoutes: readonly Route[] = [
  forwarding({
    method: 'get',
    path: '/cart',
    doc: {
      operationId: 'getCart',
      tag: 'Buying',
      summary: 'Get the cart',
      description: 'Returns the events in the cart at their current prices.',
    },
    given: {},
    contract: commerceRpc.cart,
    input: () => ({}),
  }),
  forwarding({
    method: 'post',
    path: '/cart/event-exports',
    costs: true,
    doc: {
      operationId: 'addToCart',
      tag: 'Buying',
      summary: 'Add an event to the cart',
      description:
        'Adding an event twice has no effect. If you already own the event, the cart is unchanged and `already_unlocked` is true.',
    },
    given: { body: cartEventBody },
    contract: commerceRpc.addToCart,
    input: ({ body }) => body,
  }),
  forwarding({
    method: 'delete',
    path: '/cart/event-exports/:event_id',
    doc: {
      operationId: 'removeFromCart',
      tag: 'Buying',
      summary: 'Remove an event from the cart',
      description: 'If the event is not in the cart, the cart is unchanged.',
    },
    given: { path: commerceRpc.removeFromCart.input },
    contract: commerceRpc.removeFromCart,
    input: ({ path }) => path,
  }),
  forwarding({
    method: 'post',
    path: '/cart/checkout',
    costs: true,
    doc: {
      operationId: 'checkOut',
      tag: 'Buying',
      summary: 'Check out the cart',
      description:
        'If the server has a payment provider, the status is `pending` and the answer has the URL of a hosted checkout. The events are unlocked after the payment. Otherwise they are unlocked at once. An account has one open checkout. A second request returns it again. If the cart has changed, the request closes it and opens a new one.',
    },
    given: {},
    contract: commerceRpc.checkout,
    input: (_given, { idempotencyKey }) => ({ idempotency_key: idempotencyKey }),
  }),
];
