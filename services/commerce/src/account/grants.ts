import { createHash } from 'node:crypto';
import {
  type AccountState,
  DomainError,
  type Grant,
  grantRefusal,
  type GrantQuote,
  moneyOf,
  nextUtcDayUs,
  type PlanId,
  type PlanTerms,
  utcDayOf,
} from '@almanac/contracts';
import { paymentRequired } from './payment-required.js';

export interface Now {
  readonly us: number;
  readonly plans: Readonly<Record<PlanId, PlanTerms>>;
  /** Minor units. */
  readonly eventPrice: number;
}

/** Events that need a grant, and those of them that are not unlocked. `planOnly`: a market belongs to no event. */
export interface ClaimPart {
  readonly events: readonly string[];
  readonly locked: readonly string[];
  readonly planOnly: boolean;
}

/** What an export, or a request that is split into several exports, needs a grant for. */
export interface Claim extends ClaimPart {
  readonly dayPack: boolean;
  readonly l2: boolean;
  readonly parts: readonly ClaimPart[];
  readonly split: boolean;
  /** Default: true. */
  readonly useFreeCredit?: boolean;
}

/** The account and the terms of its plan. */
interface Payer {
  readonly state: AccountState;
  readonly terms: PlanTerms;
}

/** The grant for a claim. Throws `export_daily_limit` (not for unlocks), `export_pending_limit`, `payment_required`. */
export const grantOf = (claim: Claim, state: AccountState, now: Now): Grant => {
  const terms = now.plans[state.plan];
  const grant = grantFor(claim, { state, terms });
  refuseOverDailyLimit(state, { terms, us: now.us, exports: countedExports(claim, { state, terms }) });
  refuseOverPendingLimit(state, terms);
  if (grant === null) throw paymentRequired(claim, now, { hasCredit: isForCredit(claim, state) });
  return grant;
};

/** The grant of each part of a split claim that is covered. */
export const grantsOfParts = (claim: Claim, { plan }: AccountState, { plans }: Pick<Now, 'plans'>): Grant[] =>
  claim.parts.flatMap((part) => partGrant(part, claim, plans[plan]) ?? []);

/** The same as a quote. The cost is 0 for a covered claim, even if a limit refuses it. */
export const quoteOf = (claim: Claim, state: AccountState, now: Now): GrantQuote => {
  const terms = now.plans[state.plan];
  const covered = grantFor(claim, { state, terms });
  const cost = covered === null ? costOf(claim, now) : moneyOf(0);
  const parts = claim.parts.map((part) => {
    const grant = partGrant(part, claim, terms);
    return { grant, cost: grant === null ? costOf(part, now) : moneyOf(0), locked_n: part.locked.length };
  });
  try {
    const grant = grantOf(claim, state, now);
    return { grant, cost, refusal: null, remarks: remarksOf(claim, grant, terms), parts };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { code, detail, more } = error.reply;
    return { grant: null, cost, refusal: grantRefusal.parse({ code, detail, ...more }), remarks: [], parts };
  }
};

/**
 * What the account should know about its grant. A paid plan does not cover order books on every level, and then a free
 * credit covers them although the plan covers other exports.
 */
export const remarksOf = ({ events, l2 }: Claim, grant: Grant, terms: PlanTerms): string[] => {
  if (grant !== 'free_credit') return [];
  const why =
    terms.exportIncluded && l2 ? 'covers exports only without order books (`l2`)' : 'does not cover this export';
  return [
    `A free export credit pays for this export, because the plan ${terms.name} ${why}. ` +
      `The credit unlocks the event ${events.join()} permanently.`,
  ];
};

/** Short, because a day pack has many events and the account's state must stay small. */
export const fingerprintOf = ({ events, dayPack, l2, parts, split }: Claim): string =>
  createHash('sha256')
    .update(JSON.stringify([events.toSorted(), dayPack, l2, ...(split ? parts.map((part) => part.events) : [])]))
    .digest('base64url')
    .slice(0, 22);

/**
 * The first grant that applies: unlock, plan, free credit. The order is the same on every plan. A free credit pays for
 * an export of one event, and never for days or several events.
 */
const grantFor = (claim: Claim, { state, terms }: Payer): Grant | null => {
  if (claim.split) {
    const grants = claim.parts.map((part) => partGrant(part, claim, terms));
    if (grants.includes(null)) return null;
    return grants.includes('plan') ? 'plan' : 'unlock';
  }
  const grant = partGrant(claim, claim, terms);
  if (grant !== null) return grant;
  return claim.useFreeCredit !== false && isForCredit(claim, state) ? 'free_credit' : null;
};

/** The account has a credit left, and it can pay for this claim. */
const isForCredit = ({ events, dayPack, planOnly, split }: Claim, state: AccountState): boolean =>
  state.credits_used < state.credits_granted && events.length === 1 && !dayPack && !planOnly && !split;

/** The plan gives all that a purchase of any event would give. */
export const coversAllEvents = ({ exportIncluded, l2Export, fullBook }: PlanTerms): boolean =>
  exportIncluded && l2Export && fullBook;

const partGrant = (part: ClaimPart, { l2 }: Pick<Claim, 'l2'>, terms: PlanTerms): 'unlock' | 'plan' | null => {
  if (part.events.length > 0 && part.locked.length === 0 && !part.planOnly) return 'unlock';
  return terms.exportIncluded && (!l2 || terms.l2Export) ? 'plan' : null;
};

/** Null if no purchase of events covers the claim. */
const costOf = ({ events, locked, planOnly }: ClaimPart, { eventPrice }: Now): GrantQuote['cost'] =>
  planOnly || events.length === 0 ? null : moneyOf(locked.length * eventPrice);

/** How many exports of a claim count in the daily limit. Unlocked ones do not. */
const countedExports = (claim: Claim, { terms }: Payer): number => {
  const parts = claim.split ? claim.parts : [claim];
  return parts.filter((part) => partGrant(part, claim, terms) !== 'unlock').length;
};

const refuseOverDailyLimit = (
  state: AccountState,
  { terms, us, exports }: { terms: PlanTerms; us: number; exports: number },
): void => {
  const { exportsPerDay: limit } = terms;
  const used = state.exports_today.day === utcDayOf(us) ? state.exports_today.count : 0;
  if (limit === null || exports === 0 || used + exports <= limit) return;
  const retryAfterS = Math.ceil((nextUtcDayUs(us) - us) / 1e6);
  const needed = exports === 1 ? '' : ` This request needs ${exports}, and ${Math.max(0, limit - used)} are left.`;
  const remedy = exports > limit ? 'Request fewer files.' : 'Try again after 00:00 UTC.';
  throw new DomainError(
    'export_daily_limit',
    `Your plan's limit for exports per UTC day is ${limit}.${needed} ${remedy}`,
    { more: { retry_after_s: retryAfterS } },
  );
};

/** Clients retry after this time: long enough to limit polling, short compared with an export. */
const pendingRetryS = 10;

const refuseOverPendingLimit = (state: AccountState, terms: PlanTerms): void => {
  if (terms.exportsPending === null || Object.keys(state.reservations).length < terms.exportsPending) return;
  throw new DomainError(
    'export_pending_limit',
    `Your plan's limit for pending exports is ${terms.exportsPending}. Wait until an export is ready, or cancel one.`,
    { more: { retry_after_s: pendingRetryS, pending_exports: newestPending(state) } },
  );
};

const listedMax = 20;

/** A client that lost the answer to its request finds its export here. */
const newestPending = ({ reservations }: AccountState): string[] =>
  Object.entries(reservations)
    .toSorted(([, a], [, b]) => b.at_us - a.at_us)
    .slice(0, listedMax)
    .map(([exportId]) => exportId);
