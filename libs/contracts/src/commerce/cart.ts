import { z } from 'zod';
import { eventOf } from '../events/events.js';
import { micros } from '../requests/numbers.js';
import { money } from './plans.js';

/** The payment provider's maximum number of lines in one checkout. */
export const cartLinesMax = 100;
/** Maximum size of all lines as JSON, so that an account's state stays small whatever the tickers are. */
export const cartBytesMax = 30_000;

/** Each addition is an event with the whole account, which is kept for ever. */
export const cartAdditionsPerDayMax = 1_000;

/** A stored line. It has no price: the current price applies until a checkout freezes it. */
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

export const cartEventBody = z
  .object({ event: event.min(1).max(120) })
  .meta({ id: 'CartEventBody', examples: [{ event: 'KXBTC15M-26FEB242330' }] });

const paymentRemark = 'This server has no payment provider, so no payment was taken.';
export const purchaseRemarks = z
  .array(z.string())
  .meta({ description: 'What you should know about the payment', examples: [[paymentRemark]] })
  .optional();

/** Of an answer to a purchase. Without a payment provider, nothing was charged. */
export const remarksOfPayment = (mode: PaymentMode): { remarks?: string[] } =>
  mode === 'stub' ? { remarks: [paymentRemark] } : {};

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
            price: money.meta({
              description:
                'Current price. You pay once and keep the event permanently. 0 if your plan covers the event',
            }),
            covered_by: z
              .literal('plan')
              .meta({
                description: '`plan` if your plan covers the event. A checkout leaves it out',
                examples: ['plan'],
              })
              .optional(),
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
    remarks: purchaseRemarks.meta({
      description: 'What you should know before you buy, such as what your plan covers',
    }),
  })
  .meta({ id: 'CartResponse', description: 'The shopping cart of the account.' });
export type CartResponse = z.infer<typeof cartResponse>;

/** How payments work. `stub` sells without money, for a system without a payment provider. */
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
    remarks: purchaseRemarks,
  })
  .meta({ id: 'CheckoutResponse', description: 'A checkout of the cart.' });
export type CheckoutResponse = z.infer<typeof checkoutResponse>;

/** A line of a checkout. Its price, in minor units, is frozen, so the charge matches the unlocked events. */
const checkoutLine = z.object({ event: z.string(), title: z.string().nullable(), price: z.int() });
export type CheckoutLine = z.infer<typeof checkoutLine>;

export const hostedSession = z.object({ id: z.string(), url: z.string(), expires_us: micros });
export type HostedSession = z.infer<typeof hostedSession>;

const checkoutFields = {
  id: z.string(),
  account: z.string(),
  mode: paymentMode,
  lines: z.array(checkoutLine),
  total: z.int(),
  started_us: micros,
  session: hostedSession.nullable(),
  /** The provider's payment id, needed for a refund. Null in stub mode and before the payment. */
  payment: z.string().nullable(),
};
/** Every line is in exactly one list, so each charge is either an unlock or a refund. */
const fulfilmentFields = {
  /** Events that this checkout unlocked and that are not refunded. */
  unlocked: z.array(z.string()),
  /** Events that were unlocked in another way meanwhile. Their refund is pending. */
  owed: z.array(z.string()),
  refunded: z.array(z.string()),
};

/**
 * The state of a checkout. `joined` belongs to an Idempotency-Key that arrived while another checkout of the same
 * cart was open; its answer is that checkout. `expired` without lines was abandoned before it started.
 */
export const checkoutState = z.discriminatedUnion('status', [
  z.object({ status: z.enum(['started', 'opened', 'paid', 'expired']), ...checkoutFields }),
  z.object({
    status: z.enum(['fulfilled', 'refunded']),
    ...checkoutFields,
    ...fulfilmentFields,
    /** Events unlocked at fulfilment, without regard to later refunds. The checkout's answer lists these. */
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
