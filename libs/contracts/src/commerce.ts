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

export const money = z.object({ amount: z.int().describe('minor units, such as cents'), currency: z.string() });

export const planResponse = z.object({
  plan: z.object({ id: planId, name: z.string(), price: money }),
  entitlements: z.object({
    api_keys: z.object({ limit: z.int().nullable(), used: z.int() }),
    requests_per_minute: z.int().nullable(),
    exports_per_day: z.object({ limit: z.int().nullable(), used: z.int(), resets_ts: z.number() }),
    exports_pending: z.object({ limit: z.int().nullable(), used: z.int() }),
    export_included: z.boolean(),
    l2_export: z.boolean(),
    full_book: z.boolean(),
  }),
  free_export_credit: z.object({ granted: z.int(), used: z.int(), remaining: z.int() }),
});

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
