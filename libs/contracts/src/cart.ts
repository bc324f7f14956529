import { z } from 'zod';
import { eventOf } from './events.js';
import { micros } from './numbers.js';
import { money } from './plans.js';

/** A cart holds no more lines than one checkout can sell. */
export const cartLinesMax = 100;
/** The bytes of all lines as JSON: an account's state stays small whatever the tickers are. */
export const cartBytesMax = 30_000;

/** A line as it is stored. Its price is not: it is the one of the day until a checkout freezes it. */
export const cartLine = z.object({
  event: z.string(),
  title: z.string().nullable(),
  series: z.string().nullable(),
  added_us: micros,
});
export type CartLine = z.infer<typeof cartLine>;

const event = z.string().meta({ description: 'Ticker of the event', examples: ['KXBTC15M-26FEB242330'] });
const title = z
  .string()
  .nullable()
  .meta({ description: 'Title from the venue. Long titles are shortened', examples: ['BTC price at 11:30 PM EST'] });
const series = z
  .string()
  .nullable()
  .meta({ description: 'Id of the series', examples: ['KXBTC15M'] });

/** Body of POST /cart/event-exports. */
export const cartEventBody = z
  .object({ event: event.min(1).max(120) })
  .meta({ id: 'CartEventBody', examples: [{ event: 'KXBTC15M-26FEB242330' }] });

export const cartResponse = z
  .object({
    count: z
      .int()
      .min(0)
      .meta({ description: 'Number of items in the cart', examples: [1] }),
    items: z
      .array(
        z
          .object({
            event,
            title,
            series,
            price: money.meta({ description: 'Current price. You pay once and keep the event permanently' }),
          })
          .meta({ id: 'CartItem', description: 'An event in the cart.' }),
      )
      .meta({ description: 'Items in the order in which they were added' }),
    total: money.meta({ description: 'Total of the current prices' }),
    already_unlocked: z
      .boolean()
      .meta({
        description: 'True if you already own the event. The cart is unchanged',
        examples: [true],
      })
      .optional(),
  })
  .meta({ id: 'CartResponse', description: 'The shopping cart of the account.' });
export type CartResponse = z.infer<typeof cartResponse>;

/** How payments are taken: `stub` sells without money, for a system without a payment provider. */
export const paymentMode = z.enum(['stub', 'stripe']);
export type PaymentMode = z.infer<typeof paymentMode>;
export const paymentModeShown = paymentMode.meta({
  description:
    '`stripe` if you pay on a hosted page. `stub` if the server has no payment provider and completes the purchase at once',
  examples: ['stripe'],
});
const pageExample = 'https://checkout.example.com/c/pay/cs_live_a1b2c3';
export const checkoutUrlShown = (what: string) =>
  z
    .string()
    .nullable()
    .meta({ description: what, examples: [pageExample] });

export const checkoutResponse = z
  .object({
    mode: paymentModeShown,
    status: z.enum(['completed', 'pending']).meta({
      description: '`pending` until you have paid on the hosted page, then `completed`',
      examples: ['completed'],
    }),
    unlocked: z.array(z.string()).meta({
      description: 'Tickers of the events that this purchase unlocked',
      examples: [['KXBTC15M-26FEB242330']],
    }),
    total: money.meta({ description: 'Total charge' }),
    checkout_url: checkoutUrlShown('URL of the hosted payment page. Null if there is nothing to pay'),
  })
  .meta({ id: 'CheckoutResponse', description: 'A checkout of the cart.' });
export type CheckoutResponse = z.infer<typeof checkoutResponse>;

/** A line of a checkout: the price is frozen, so what is charged is what is unlocked. Minor units. */
export const checkoutLine = z.object({ event: z.string(), title: z.string().nullable(), price: z.int() });
export type CheckoutLine = z.infer<typeof checkoutLine>;

/** A page of the payment provider. */
export const hostedSession = z.object({ id: z.string(), url: z.string(), expires_us: micros });
export type HostedSession = z.infer<typeof hostedSession>;

const checkoutFields = {
  id: z.string(),
  account: z.string(),
  mode: paymentMode,
  lines: z.array(checkoutLine),
  /** Minor units; the sum of the lines. */
  total: z.int(),
  started_us: micros,
  session: hostedSession.nullable(),
  /** The provider's id of the payment, which a refund names; null in stub mode and until paid. */
  payment: z.string().nullable(),
};
/** Every line is in one of the three: what was charged is what is unlocked, and the rest is given back. */
const fulfilmentFields = {
  /** Events that this checkout unlocked and that are still paid for. */
  unlocked: z.array(z.string()),
  /** Events that were unlocked in another way meanwhile, and whose price is not given back yet. */
  owed: z.array(z.string()),
  /** Events whose price was given back. */
  refunded: z.array(z.string()),
};

/**
 * A checkout after its last event. `joined` is an Idempotency-Key that came while another checkout of the same cart was
 * open, and is answered as that one. `expired` without lines is one that was given up before it started.
 */
export const checkoutState = z.discriminatedUnion('status', [
  z.object({ status: z.enum(['started', 'opened', 'paid', 'expired']), ...checkoutFields }),
  z.object({
    status: z.enum(['fulfilled', 'refunded']),
    ...checkoutFields,
    ...fulfilmentFields,
    /** What was unlocked when it was fulfilled, whatever was refunded since: what its answer says for ever. */
    sold: z.array(z.string()),
  }),
  z.object({
    status: z.literal('joined'),
    id: z.string(),
    account: z.string(),
    checkout: z.string(),
    started_us: micros,
  }),
]);
export type CheckoutState = z.infer<typeof checkoutState>;

/** EVT_COMMERCE: `evt.commerce.<account>.checkout.<id>`. */
export const checkoutEvents = {
  CheckoutStarted: eventOf(
    'CheckoutStarted',
    z.object({ mode: paymentMode, lines: z.array(checkoutLine), started_us: micros }),
    checkoutState,
  ),
  CheckoutJoined: eventOf('CheckoutJoined', z.object({ checkout: z.string(), started_us: micros }), checkoutState),
  CheckoutOpened: eventOf('CheckoutOpened', hostedSession, checkoutState),
  CheckoutPaid: eventOf('CheckoutPaid', z.object({ payment: z.string().nullable() }), checkoutState),
  CheckoutFulfilled: eventOf(
    'CheckoutFulfilled',
    z.object({ unlocked: fulfilmentFields.unlocked, owed: fulfilmentFields.owed }),
    checkoutState,
  ),
  CheckoutExpired: eventOf('CheckoutExpired', z.object({ mode: paymentMode, at_us: micros }), checkoutState),
  CheckoutRefunded: eventOf('CheckoutRefunded', z.object({ events: z.array(z.string()) }), checkoutState),
};
