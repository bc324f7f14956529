import { z } from 'zod';
import { portalResponse, upgradeBody, upgradeResponse } from './billing.js';
import { cartEventBody, cartResponse, checkoutResponse } from './cart.js';
import { accountState, grant, paymentOptions, planResponse } from './commerce.js';
import { accountName, person } from './person.js';
import { money, planId, planTermsShape } from './plans.js';
import { contract } from '../requests/rpc.js';

const idempotency_key = z.string().nullish();
/** Events that must be paid for. `plan_only`: a market belongs to no event, so that no purchase covers it. */
const claimedEvents = { events: z.array(z.string()), plan_only: z.boolean().default(false) };
/**
 * The target of an export. `day_pack`: it covers days, which a free credit never pays for. `parts` divide it: if `split`, each part is an export of its own, and all of them or none are granted.
 */
const plainClaim = z.object({
  ...claimedEvents,
  day_pack: z.boolean(),
  l2: z.boolean(),
  parts: z.array(z.object(claimedEvents)).default([]),
  split: z.boolean().default(false),
  use_free_credit: z.boolean().default(true),
});
const remarks = z.array(z.string()).default([]);

/** Why an export would be refused now, with the text of the refusal. */
export const grantRefusal = z.discriminatedUnion('code', [
  z.object({ code: z.literal('payment_required'), detail: z.string(), options: paymentOptions }),
  z.object({
    code: z.enum(['export_daily_limit', 'export_pending_limit']),
    detail: z.string(),
    retry_after_s: z.int().min(0),
  }),
]);

const pricedGrant = { grant: grant.nullable(), cost: money.nullable() };

/**
 * The grant that an export would get now. `cost` is the sum of its events' prices, or null if none is for sale.
 * `parts` has the same for each part on its own.
 */
const grantQuote = z.object({
  ...pricedGrant,
  refusal: grantRefusal.nullable(),
  remarks,
  parts: z.array(z.object({ ...pricedGrant, locked_n: z.int() })).default([]),
});
export type GrantQuote = z.infer<typeof grantQuote>;

export const commerceRpc = {
  /**
   * Opens an account, for the operator's command line and the demo account. Opening it again with the same plan
   * succeeds, but not with a person: an e-mail address has only one account. If an earlier attempt stopped half-way,
   * the answer names its account instead of the given one.
   */
  openAccount: contract({
    service: 'commerce',
    method: 'open-account',
    callers: ['operator'],
    kind: 'command',
    repeats: { never: 'the operator learns whether this command opened the account' },
    input: z.object({ account: z.string(), plan: planId, person: person.nullish() }),
    output: z.object({ account: z.string(), plan: planId }),
    errors: ['account_exists', 'conflict'],
    timeoutMs: 5_000,
  }),
  /** For the operator: the current account and the person behind it. */
  findAccount: contract({
    service: 'commerce',
    method: 'find-account',
    callers: ['operator'],
    kind: 'query',
    input: accountName,
    output: z.object({ state: accountState, person: person.nullable() }),
    errors: ['account_not_found'],
    timeoutMs: 5_000,
  }),
  /** For the operator: the terms of each plan as this deployment has them, lowest first. */
  listPlans: contract({
    service: 'commerce',
    method: 'list-plans',
    callers: ['operator'],
    kind: 'query',
    input: z.object({}),
    output: z.object({ plans: z.array(z.object({ id: planId, terms: planTermsShape })) }),
    errors: [],
    timeoutMs: 5_000,
  }),
  /** For the operator: moves an account to any plan, without a payment. */
  changePlan: contract({
    service: 'commerce',
    method: 'change-plan',
    callers: ['operator'],
    kind: 'command',
    repeats: { never: 'the operator learns the plan before this command' },
    input: z.object({ account: z.string(), plan: planId }),
    output: z.object({ account: z.string(), plan: planId, before: planId }),
    errors: ['account_not_found', 'conflict'],
    timeoutMs: 5_000,
  }),
  /** For the operator: erases the person, here and at the payment provider. Keys and purchases stay. */
  eraseAccount: contract({
    service: 'commerce',
    method: 'erase-account',
    callers: ['operator'],
    kind: 'command',
    repeats: { never: 'the operator learns what this command erased' },
    input: accountName,
    output: z.object({
      account: z.string(),
      record: z.boolean(),
      /** Whether a customer of the payment provider was deleted, which ends its subscription. */
      customer: z.boolean(),
    }),
    errors: ['account_not_found', 'conflict'],
    timeoutMs: 20_000,
  }),
  /**
   * Reserves a grant for an export of the caller's account. The same request for the same export gets the same
   * answer. The same id with another target is refused.
   */
  reserve: contract({
    service: 'commerce',
    method: 'reserve',
    callers: ['export'],
    kind: 'command',
    repeats: 'always',
    input: plainClaim.extend({ export_id: z.string() }),
    /** `parts` has the grant of each part of a split request. */
    output: z.object({ grant, parts: z.array(grant).default([]), remarks }),
    errors: ['payment_required', 'export_daily_limit', 'export_pending_limit', 'idempotency_conflict', 'conflict'],
    timeoutMs: 5_000,
  }),
  /** What `reserve` would answer now. Changes nothing. */
  quote: contract({
    service: 'commerce',
    method: 'quote',
    callers: ['export'],
    kind: 'query',
    input: plainClaim,
    output: grantQuote,
    errors: [],
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
  cart: contract({
    service: 'commerce',
    method: 'cart',
    kind: 'query',
    input: z.object({}),
    output: cartResponse,
    errors: [],
    timeoutMs: 5_000,
  }),
  addToCart: contract({
    service: 'commerce',
    method: 'add-to-cart',
    kind: 'command',
    repeats: 'always',
    input: cartEventBody,
    output: cartResponse,
    errors: ['event_not_found', 'cart_full', 'cart_daily_limit', 'conflict'],
    timeoutMs: 5_000,
  }),
  removeFromCart: contract({
    service: 'commerce',
    method: 'remove-from-cart',
    kind: 'command',
    repeats: 'always',
    input: z.object({
      event_id: z.string().meta({ description: 'Ticker of the event', examples: ['KXBTC15M-26FEB242330'] }),
    }),
    output: cartResponse,
    errors: ['conflict'],
    timeoutMs: 5_000,
  }),
  checkout: contract({
    service: 'commerce',
    method: 'checkout',
    kind: 'command',
    repeats: 'with key',
    input: z.object({ idempotency_key }),
    output: checkoutResponse,
    errors: ['cart_empty', 'conflict'],
    timeoutMs: 15_000,
  }),
  upgrade: contract({
    service: 'commerce',
    method: 'upgrade',
    kind: 'command',
    repeats: 'with key',
    input: upgradeBody.extend({ idempotency_key }),
    output: upgradeResponse,
    errors: ['not_an_upgrade', 'idempotency_conflict', 'conflict'],
    timeoutMs: 15_000,
  }),
  portal: contract({
    service: 'commerce',
    method: 'portal',
    kind: 'command',
    repeats: 'always',
    input: z.object({}),
    output: portalResponse,
    errors: ['conflict'],
    timeoutMs: 15_000,
  }),
  /** A webhook of the payment provider. Its original bytes follow the input. */
  stripeWebhook: contract({
    service: 'commerce',
    method: 'stripe-webhook',
    kind: 'command',
    repeats: 'always',
    input: z.object({ signature: z.string().max(4_096) }),
    output: z.object({ received: z.literal(true) }),
    errors: [],
    timeoutMs: 10_000,
  }),
};
