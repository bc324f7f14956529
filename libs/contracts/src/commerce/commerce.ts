import { z } from 'zod';
import { openUpgrade, subscription, upgradeEvents } from './billing.js';
import { cartLine, cartLinesMax, checkoutEvents } from './cart.js';
import { eventOf } from '../events/events.js';
import { micros } from '../requests/numbers.js';
import { money, planId, publicPlanId } from './plans.js';

/** What covers an export. The first match in this order applies. */
export const grant = z.enum(['unlock', 'plan', 'free_credit']);
export type Grant = z.infer<typeof grant>;

/**
 * A grant that is reserved until its export ends. `credit_event` is the event that a free credit will unlock. `claim`
 * identifies the target, so that the grant cannot be used for another one. `parts` is for a request with several
 * exports: the numbers of those that have not ended, and of those that count in the daily limit.
 */
export const reservation = z.object({
  grant,
  day: z.string(),
  at_us: micros,
  credit_event: z.string().nullable(),
  claim: z.string().default(''),
  parts: z.object({ open: z.array(z.int()), counted: z.array(z.int()) }).optional(),
});
export type Reservation = z.infer<typeof reservation>;

/** The account's checkout that has not ended; there is at most one. It may be set before the checkout exists. */
export const openCheckout = z.object({ id: z.string(), events: z.array(z.string()), at_us: micros });
export type OpenCheckout = z.infer<typeof openCheckout>;

/**
 * The state of an account. Unlocks and checkouts are separate entities, so it stays small. Fields with a default were
 * added later; older events lack them.
 */
export const accountState = z.object({
  account: z.string(),
  plan: planId,
  credits_granted: z.int(),
  credits_used: z.int(),
  /** Exports under a plan or credit on `day` (UTC). Purchased ones do not count. */
  exports_today: z.object({ day: z.string(), count: z.int() }),
  reservations: z.record(z.string(), reservation),
  cart: z.array(cartLine).default([]),
  /** Events that were added to the cart on `day` (UTC). Undefined before the first one. */
  cart_additions: z.object({ day: z.string(), count: z.int() }).optional(),
  checkout: openCheckout.nullable().default(null),
  /** The account's id at the payment provider. Null until it is needed. */
  customer_id: z.string().nullable().default(null),
  subscription: subscription.nullable().default(null),
  /** The last upgrade on a payment page. The upgrade itself records whether it can still be paid. */
  upgrade: openUpgrade.nullable().default(null),
  /** How often the person was erased. A later customer of the payment provider is a new one. */
  erasures: z.int().default(0),
});
export type AccountState = z.infer<typeof accountState>;

/**
 * An event that an account may use permanently, and what paid for it: a checkout, or an export's free credit. A
 * refund locks it again, and a later purchase replaces it.
 */
export const unlockState = z.object({
  account: z.string(),
  event: z.string(),
  by: z.enum(['purchase', 'free_credit']),
  checkout_id: z.string().nullable().default(null),
  export_id: z.string().nullable().default(null),
  locked_us: micros.nullable().default(null),
});
export type UnlockState = z.infer<typeof unlockState>;

/** What an account has open at its event `seq`. A sweep finds accounts by it, and then reads the account itself. */
export const openAccount = z.object({
  account: z.string(),
  seq: z.int(),
  /** The number of reservations, and the time of the oldest. */
  reservations: z.int().default(0),
  reserved_us: micros.optional(),
  checkout_us: micros.optional(),
  /** Since when a renewal is due, 0 if that is unknown. */
  past_due_us: micros.optional(),
});
export type OpenAccount = z.infer<typeof openAccount>;

/**
 * Where commerce starts to read its stream. Of all accounts whose last event is before `from`, only those in `open` have
 * anything open. A release that counts other things as open has another `rule`, and reads from the first event.
 */
export const openAccountsCheckpoint = z.object({
  rule: z.string(),
  from: z.int(),
  open: z.array(openAccount).default([]),
  /** Names in events of format 1, whose readers require it. Since then it is empty. */
  older: z.array(z.string()).default([]),
});
export type OpenAccountsCheckpoint = z.infer<typeof openAccountsCheckpoint>;

/** The number of an export in a request with several exports. Absent for a request with one. */
const part = z.int().optional();

/** EVT_COMMERCE: `evt.commerce.<account>`, also with `.unlock.<event>`, `.checkout.<id>` and `.upgrade.<id>`. */
export const commerceEvents = {
  AccountOpened: eventOf('AccountOpened', z.object({ plan: planId, credits: z.int() }), accountState),
  PlanChanged: eventOf('PlanChanged', z.object({ plan: planId }), accountState),
  GrantReserved: eventOf('GrantReserved', z.object({ export_id: z.string(), ...reservation.shape }), accountState),
  GrantConfirmed: eventOf('GrantConfirmed', z.object({ export_id: z.string(), part }), accountState),
  GrantReleased: eventOf('GrantReleased', z.object({ export_id: z.string(), part, reason: z.string() }), accountState),
  CartLineAdded: eventOf('CartLineAdded', cartLine, accountState),
  CartLinesRemoved: eventOf('CartLinesRemoved', z.object({ events: z.array(z.string()) }), accountState),
  CheckoutBegun: eventOf('CheckoutBegun', openCheckout, accountState),
  /** `events` leave the cart because they are unlocked now. */
  CheckoutClosed: eventOf('CheckoutClosed', z.object({ id: z.string(), events: z.array(z.string()) }), accountState),
  UpgradeBegun: eventOf('UpgradeBegun', openUpgrade, accountState),
  CustomerNamed: eventOf('CustomerNamed', z.object({ customer_id: z.string() }), accountState),
  SubscriptionChanged: eventOf(
    'SubscriptionChanged',
    z.object({ subscription: subscription.nullable(), plan: planId }),
    accountState,
  ),
  /** The person was erased: whether there was a record, and the id of the deleted customer. */
  PersonErased: eventOf(
    'PersonErased',
    z.object({ record: z.boolean(), customer_id: z.string().nullable(), plan: planId }),
    accountState,
  ),
  EventUnlocked: eventOf('EventUnlocked', unlockState, unlockState),
  UnlockRevoked: eventOf('UnlockRevoked', z.object({ locked_us: micros }), unlockState),
  ...checkoutEvents,
  ...upgradeEvents,
  CheckpointStored: eventOf('CheckpointStored', z.object({}), openAccountsCheckpoint),
};

const count = z.int().min(0);
const used = count.meta({ description: 'Number in use', examples: [1] });
const limitOf = (what: string, example: number) =>
  count.nullable().meta({ description: `${what}. Null means no limit`, examples: [example] });

/** The name and price of a plan, its limits, and what it covers, wherever an answer has them. */
const named = {
  name: z.string().meta({ description: 'Display name', examples: ['Pro'] }),
  price: money.meta({ description: 'Price per month' }),
};
const limits = {
  api_keys: limitOf('Maximum number of active API keys', 10),
  requests_per_minute: limitOf('Maximum number of requests per minute', 1200),
  exports_per_day: limitOf(
    'Maximum number of exports per UTC day. Exports of events that you bought do not count',
    200,
  ),
  exports_pending: limitOf('Maximum number of pending exports', 5),
};
const coverage = {
  export_included: z.boolean().meta({ description: 'Whether the plan covers exports', examples: [true] }),
  l2_export: z.boolean().meta({
    description:
      'Whether the plan covers exports with order books. If not, an unlocked event or a free credit covers them',
    examples: [false],
  }),
  full_book: z.boolean().meta({ description: 'Whether the plan includes order books in snapshots', examples: [false] }),
};

export const planResponse = z
  .object({
    plan: z
      .object({ id: planId.meta({ description: 'Id of the plan', examples: ['pro'] }), ...named })
      .meta({ id: 'Plan' }),
    entitlements: z
      .object({
        api_keys: z.object({ limit: limits.api_keys, used }).meta({ description: 'API keys' }),
        requests_per_minute: limits.requests_per_minute,
        exports_per_day: z
          .object({
            limit: limits.exports_per_day,
            used,
            resets_ts: z
              .number()
              .meta({ description: 'Start of the next UTC day, in Unix seconds', examples: [1772064000] }),
          })
          .meta({ description: 'Exports in the current UTC day' }),
        exports_pending: z.object({ limit: limits.exports_pending, used }).meta({ description: 'Pending exports' }),
        ...coverage,
      })
      .meta({ id: 'Entitlements', description: 'Limits of the plan and current usage.' }),
    free_export_credit: z
      .object({
        granted: count.meta({ description: 'Number of credits granted', examples: [1] }),
        used: count.meta({ description: 'Number of credits used', examples: [0] }),
        remaining: count.meta({ description: 'Number of credits left', examples: [1] }),
      })
      .meta({
        id: 'FreeExportCredit',
        description:
          'Free export credits. They stay on every plan. One credit pays for an export of one event that is not unlocked and that the plan does not cover.',
      }),
    plans: z
      .array(
        z
          .object({
            id: publicPlanId.meta({ description: 'Id of the plan', examples: ['pro'] }),
            ...named,
            ...limits,
            ...coverage,
          })
          .meta({ id: 'PublicPlan', description: 'A plan with its price, its limits and what it covers.' }),
      )
      .meta({ description: 'All plans that you can have, from the smallest to the largest' }),
  })
  .meta({ id: 'PlanResponse' });

/** A day of a strike ladder can have hundreds of events. As many as a cart can hold. */
export const optionEventsMax = cartLinesMax;

/** What would cover an export without a grant: `options` of a `payment_required`. */
export const paymentOptions = z
  .array(
    z.discriminatedUnion('type', [
      z
        .object({
          type: z.literal('buy_event').meta({ description: 'Kind of the option' }),
          event: z.string().meta({ description: 'Ticker of the event', examples: ['KXBTC15M-26FEB242330'] }),
          price: money,
        })
        .meta({ id: 'BuyEventOption', description: 'Buy the event. You keep it permanently.' }),
      z
        .object({
          type: z.literal('buy_events').meta({ description: 'Kind of the option' }),
          price: money.meta({ description: 'Price of all these events together' }),
          events_n: count.meta({ description: 'Number of events to buy', examples: [96] }),
          events: z
            .array(
              z
                .object({
                  event: z.string().meta({ description: 'Ticker of the event', examples: ['KXBTC15M-26FEB242330'] }),
                  price: money,
                })
                .meta({ id: 'EventPrice', description: 'An event that you do not own.' }),
            )
            .meta({ description: `Events to buy, cheapest first. At most the first ${optionEventsMax}` }),
          next: z.string().meta({ description: 'What to do to buy the events' }),
        })
        .meta({
          id: 'BuyEventsOption',
          description: 'Buy every event of the export that you do not own. You keep them permanently.',
        }),
      z
        .object({
          type: z.literal('upgrade').meta({ description: 'Kind of the option' }),
          tier_id: planId.meta({ description: 'Id of the plan', examples: ['pro'] }),
          price: money.meta({ description: 'Price per month' }),
        })
        .meta({ id: 'UpgradeOption', description: 'Upgrade to a plan that covers the export.' }),
    ]),
  )
  .meta({ description: 'What you can buy to get the export, cheapest first. Any one option is enough' });
export type PaymentOptions = z.infer<typeof paymentOptions>;
