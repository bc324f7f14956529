import {
  type AccountState,
  cartAdditionsPerDayMax,
  cartBytesMax,
  type CartLine,
  cartLinesMax,
  DomainError,
  nextUtcDayUs,
  type OpenCheckout,
  utcDayOf,
} from '@almanac/contracts';

/** Allows one line per event, and no more lines than one checkout can sell. Throws `cart_full` and `cart_daily_limit`. */
export const addLine = (state: AccountState, line: CartLine) => {
  const { cart } = state;
  if (cart.some(({ event }) => event === line.event)) return null;
  const bytes = Buffer.byteLength(JSON.stringify([...cart, line]));
  if (cart.length >= cartLinesMax || bytes > cartBytesMax) {
    const detail = `Your cart is full: it holds ${cart.length} events. Check out, or remove an event.`;
    throw new DomainError('cart_full', detail);
  }
  refuseOverDailyLimit(state, line.added_us);
  return { type: 'CartLineAdded', data: line } as const;
};

const additionsOn = ({ cart_additions: additions }: AccountState, day: string): number =>
  additions?.day === day ? additions.count : 0;

/** Removals are as many at most. */
const refuseOverDailyLimit = (state: AccountState, us: number): void => {
  if (additionsOn(state, utcDayOf(us)) < cartAdditionsPerDayMax) return;
  throw new DomainError(
    'cart_daily_limit',
    `An account can add ${cartAdditionsPerDayMax} events to its cart per UTC day. Try again after 00:00 UTC.`,
    { more: { retry_after_s: Math.ceil((nextUtcDayUs(us) - us) / 1e6) } },
  );
};

export const lineAdded = (state: AccountState, line: CartLine): AccountState => {
  const day = utcDayOf(line.added_us);
  return { ...state, cart: [...state.cart, line], cart_additions: { day, count: additionsOn(state, day) + 1 } };
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
