import {
  type AccountState,
  cartBytesMax,
  type CartLine,
  cartLinesMax,
  DomainError,
  type OpenCheckout,
} from '@almanac/contracts';

/** Allows one line per event, and no more lines than one checkout can sell. Throws `cart_full`. */
export const addLine = ({ cart }: AccountState, line: CartLine) => {
  if (cart.some(({ event }) => event === line.event)) return null;
  const bytes = Buffer.byteLength(JSON.stringify([...cart, line]));
  if (cart.length >= cartLinesMax || bytes > cartBytesMax) {
    const detail = `Your cart is full: it holds ${cart.length} events. Check out, or remove an event.`;
    throw new DomainError('cart_full', detail);
  }
  return { type: 'CartLineAdded', data: line } as const;
};

export const removeLines = ({ cart }: AccountState, events: readonly string[]) => {
  const removed = cart.map(({ event }) => event).filter((event) => events.includes(event));
  return removed.length === 0 ? null : ({ type: 'CartLinesRemoved', data: { events: removed } } as const);
};

/** Of two concurrent checkouts the first opens. The second finds it open. */
export const beginCheckout = ({ cart, checkout: open }: AccountState, checkout: OpenCheckout) => {
  const inCart = new Set(cart.map(({ event }) => event));
  if (open !== null || !checkout.events.every((event) => inCart.has(event))) return null;
  return { type: 'CheckoutBegun', data: checkout } as const;
};

/** Closes only the open checkout. After a refund, the events of a closed one may be in the cart again. */
export const closeCheckout = (
  { checkout }: AccountState,
  { id, events }: { readonly id: string; readonly events: readonly string[] },
) => (checkout?.id === id ? ({ type: 'CheckoutClosed', data: { id, events } } as const) : null);

export const checkoutClosed = (state: AccountState, events: readonly string[]): AccountState => ({
  ...state,
  checkout: null,
  cart: state.cart.filter(({ event }) => !events.includes(event)),
});
