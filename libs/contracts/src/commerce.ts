import { z } from 'zod';
import { eventOf } from './events.js';
import { micros } from './numbers.js';
import { contract } from './rpc.js';

export const planIds = ['free', 'pro', 'full_book', 'internal'] as const;
export const planId = z.enum(planIds);
export type PlanId = z.infer<typeof planId>;

/** What covers an export; the first that does, in this order. */
export const grant = z.enum(['unlock', 'plan', 'free_credit']);
export type Grant = z.infer<typeof grant>;

/**
 * An export's claim until it ended. `credit_event` is the event that a free credit will unlock; `claim` tells what was
 * claimed, so that a grant of one thing is never given for another.
 */
export const reservation = z.object({
  grant,
  day: z.string(),
  at_us: micros,
  credit_event: z.string().nullable(),
  claim: z.string().default(''),
});
export type Reservation = z.infer<typeof reservation>;

/** An account after its last event; an unlock is a thing of its own, so this stays small. */
export const accountState = z.object({
  account: z.string(),
  plan: planId,
  credits_granted: z.int(),
  credits_used: z.int(),
  /** Exports under a plan or credit on `day` (UTC); bought ones do not count. */
  exports_today: z.object({ day: z.string(), count: z.int() }),
  reservations: z.record(z.string(), reservation),
});
export type AccountState = z.infer<typeof accountState>;

export const unlockState = z.object({
  account: z.string(),
  event: z.string(),
  by: z.enum(['purchase', 'free_credit']),
});

/** EVT_COMMERCE: `evt.commerce.<account>` and `evt.commerce.<account>.unlock.<event>`. */
export const commerceEvents = {
  AccountOpened: eventOf('AccountOpened', z.object({ plan: planId, credits: z.int() }), accountState),
  PlanChanged: eventOf('PlanChanged', z.object({ plan: planId }), accountState),
  GrantReserved: eventOf('GrantReserved', z.object({ export_id: z.string(), ...reservation.shape }), accountState),
  GrantConfirmed: eventOf('GrantConfirmed', z.object({ export_id: z.string() }), accountState),
  GrantReleased: eventOf('GrantReleased', z.object({ export_id: z.string(), reason: z.string() }), accountState),
  EventUnlocked: eventOf('EventUnlocked', unlockState, unlockState),
};

const count = z.int().min(0);
const used = count.meta({ description: 'How many are taken', examples: [1] });
const limitOf = (what: string, example: number) =>
  count.nullable().meta({ description: `${what}; null: no limit`, examples: [example] });

export const money = z
  .object({
    amount: z.int().meta({ description: 'In minor units, such as cents', examples: [4900] }),
    currency: z.string().meta({ description: 'ISO 4217 code', examples: ['USD'] }),
  })
  .meta({ id: 'Money', description: 'An amount in minor units of its currency.' });

export const planResponse = z
  .object({
    plan: z
      .object({
        id: planId.meta({ description: 'Identifier of the plan', examples: ['pro'] }),
        name: z.string().meta({ description: 'Its name for a person', examples: ['Pro'] }),
        price: money.meta({ description: 'A month' }),
      })
      .meta({ id: 'Plan' }),
    entitlements: z
      .object({
        api_keys: z.object({ limit: limitOf('Active keys', 10), used }).meta({ description: 'API keys' }),
        requests_per_minute: limitOf('Requests a minute', 1200),
        exports_per_day: z
          .object({
            limit: limitOf('Exports a UTC day, bought ones aside', 200),
            used,
            resets_ts: z
              .number()
              .meta({ description: 'Start of the next UTC day, Unix seconds', examples: [1772064000] }),
          })
          .meta({ description: 'Exports of this UTC day' }),
        exports_pending: z
          .object({ limit: limitOf('Exports in preparation at once', 5), used })
          .meta({ description: 'Exports in preparation' }),
        export_included: z.boolean().meta({ description: 'Whether the plan covers exports', examples: [true] }),
        l2_export: z.boolean().meta({ description: 'Whether it covers exports with books', examples: [false] }),
        full_book: z.boolean().meta({ description: 'Whether snapshots may have books', examples: [false] }),
      })
      .meta({ id: 'Entitlements', description: 'What the plan allows, and what of it is taken.' }),
    free_export_credit: z
      .object({
        granted: count.meta({ description: 'Credits given', examples: [1] }),
        used: count.meta({ description: 'Credits spent', examples: [0] }),
        remaining: count.meta({ description: 'Credits left', examples: [1] }),
      })
      .meta({ id: 'FreeExportCredit', description: 'A credit pays for one event.' }),
  })
  .meta({ id: 'PlanResponse' });

/** What would cover an export that nothing covers: `options` of a `payment_required`. */
export const paymentOptions = z
  .array(
    z.discriminatedUnion('type', [
      z
        .object({
          type: z.literal('buy_event').meta({ description: 'What to do' }),
          event: z.string().meta({ description: 'Ticker of the event', examples: ['KXBTC15M-26FEB242330'] }),
          price: money,
        })
        .meta({ id: 'BuyEventOption', description: 'Buy the event, once and for good.' }),
      z
        .object({
          type: z.literal('upgrade').meta({ description: 'What to do' }),
          tier_id: planId.meta({ description: 'The plan', examples: ['pro'] }),
          price: money.meta({ description: 'A month' }),
        })
        .meta({ id: 'UpgradeOption', description: 'Upgrade to a plan that covers it.' }),
    ]),
  )
  .meta({ description: 'What would cover the export, any one of these' });
export type PaymentOptions = z.infer<typeof paymentOptions>;

export const commerceRpc = {
  /** Opens an account (the operator's command line, and the demo account). Opening it again with the same plan is fine. */
  openAccount: contract({
    service: 'commerce',
    method: 'open-account',
    kind: 'command',
    input: z.object({ account: z.string(), plan: planId }),
    output: z.object({ account: z.string(), plan: planId }),
    errors: ['account_exists', 'conflict'],
    timeoutMs: 5_000,
  }),
  /**
   * Claims what covers an export of the caller's account. Asking again for the same export answers the same; asking
   * under its id for another thing is refused.
   */
  reserve: contract({
    service: 'commerce',
    method: 'reserve',
    kind: 'command',
    input: z.object({ export_id: z.string(), events: z.array(z.string()), day_pack: z.boolean(), l2: z.boolean() }),
    output: z.object({ grant }),
    errors: ['payment_required', 'export_daily_limit', 'export_pending_limit', 'idempotency_conflict', 'conflict'],
    timeoutMs: 5_000,
  }),
  plan: contract({
    service: 'commerce',
    method: 'plan',
    kind: 'query',
    input: z.object({}),
    output: planResponse,
    errors: [],
    timeoutMs: 5_000,
  }),
};
