import { cartEventBody, commerceRpc } from '@almanac/contracts';
import { forwarding, type Route } from './route.js';

/** Events that are sold one by one. */
export const cartRoutes: readonly Route[] = [
  forwarding({
    method: 'get',
    path: '/cart',
    doc: {
      operationId: 'getCart',
      tag: 'Buying',
      summary: 'Show the cart',
      description: 'The events that the caller is about to buy, at the prices of now.',
    },
    given: {},
    contract: commerceRpc.cart,
    input: () => ({}),
  }),
  forwarding({
    method: 'post',
    path: '/cart/event-exports',
    doc: {
      operationId: 'addToCart',
      tag: 'Buying',
      summary: 'Put an event into the cart',
      description:
        'An event is in the cart once, however often it is added. One that is unlocked already is not sold again: `already_unlocked` says so.',
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
      summary: 'Take an event out of the cart',
      description: 'What is not in the cart is not missed.',
    },
    given: { path: commerceRpc.removeFromCart.input },
    contract: commerceRpc.removeFromCart,
    input: ({ path }) => path,
  }),
  forwarding({
    method: 'post',
    path: '/cart/checkout',
    doc: {
      operationId: 'checkOut',
      tag: 'Buying',
      summary: 'Buy what is in the cart',
      description:
        'With a payment provider the answer is `pending` with the address of a hosted checkout, and the events are unlocked once it is paid; without one they are unlocked at once. A cart has one open checkout: asked again, the same one is answered.',
    },
    given: {},
    contract: commerceRpc.checkout,
    input: (_given, { idempotencyKey }) => ({ idempotency_key: idempotencyKey }),
  }),
];
