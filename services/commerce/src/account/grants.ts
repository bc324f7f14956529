import { createHash } from 'node:crypto';
import {
  type AccountState,
  DomainError,
  type Grant,
  grantRefusal,
  type GrantQuote,
  moneyOf,
  type PlanId,
  type PlanTerms,
  soldPlanId,
} from '@almanac/contracts';

export interface Now {
  readonly us: number;
  readonly plans: Readonly<Record<PlanId, PlanTerms>>;
  /** Minor units. */
  readonly eventPrice: number;
}

/** What an export needs a grant for. `unlocked`: each of its events is unlocked for good. */
export interface Claim {
  readonly events: readonly string[];
  readonly dayPack: boolean;
  readonly l2: boolean;
  readonly unlocked: boolean;
}

export const dayOf = (us: number): string => new Date(us / 1_000).toISOString().slice(0, 10);

/** Start of the next UTC day in integer microseconds, when the daily count of exports starts at 0 again. */
export const nextDayUs = (us: number): number => (Math.floor(us / 86_400e6) + 1) * 86_400e6;

/** The grant for a claim. Throws `export_daily_limit` (not for unlocks), `export_pending_limit`, `payment_required`. */
export const grantOf = (claim: Claim, state: AccountState, now: Now): Grant => {
  const terms = now.plans[state.plan];
  const grant = grantFor(claim, { state, terms });
  if (grant !== 'unlock') refuseOverDailyLimit(state, { terms, day: dayOf(now.us), us: now.us });
  refuseOverPendingLimit(state, terms);
  if (grant === null) throw paymentRequired(claim, now);
  return grant;
};

/** The same as a quote. The cost is 0 for a covered claim, even if a limit refuses it, or that of `locked` events. */
export const quoteOf = (
  claim: Claim,
  state: AccountState,
  { now, locked }: { now: Now; locked: number },
): GrantQuote => {
  const covered = grantFor(claim, { state, terms: now.plans[state.plan] }) !== null;
  const byEvents = claim.events.length === 0 ? null : moneyOf(locked * now.eventPrice);
  const cost = covered ? moneyOf(0) : byEvents;
  try {
    return { grant: grantOf(claim, state, now), cost, refusal: null };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { code, detail, more } = error.reply;
    return { grant: null, cost, refusal: grantRefusal.parse({ code, detail, ...more }) };
  }
};

/** Short, because a day pack has many events and the account's state must stay small. */
export const fingerprintOf = ({ events, dayPack, l2 }: Claim): string =>
  createHash('sha256')
    .update(JSON.stringify([events.toSorted(), dayPack, l2]))
    .digest('base64url')
    .slice(0, 22);

/** The first grant that applies: unlock, plan, free credit. A free credit pays for one event, not for a day pack. */
const grantFor = (claim: Claim, { state, terms }: { state: AccountState; terms: PlanTerms }): Grant | null => {
  if (claim.unlocked) return 'unlock';
  if (terms.exportIncluded && (!claim.l2 || terms.l2Export)) return 'plan';
  const creditLeft = state.credits_used < state.credits_granted;
  return creditLeft && !claim.dayPack && claim.events.length === 1 ? 'free_credit' : null;
};

const paymentRequired = (claim: Claim, { plans, eventPrice }: Now): DomainError => {
  const buy = claim.dayPack
    ? []
    : claim.events.map((event) => ({ type: 'buy_event', event, price: moneyOf(eventPrice) }));
  const upgrade = soldPlanId.options
    .filter((plan) => plans[plan].exportIncluded && (!claim.l2 || plans[plan].l2Export))
    .map((plan) => ({ type: 'upgrade', tier_id: plan, price: moneyOf(plans[plan].price) }));
  return new DomainError(
    'payment_required',
    'Your plan does not cover this export. Buy the event or upgrade your plan. `options` lists what you can buy.',
    {
      more: { options: [...buy, ...upgrade] },
    },
  );
};

const refuseOverDailyLimit = (
  state: AccountState,
  { terms, day, us }: { terms: PlanTerms; day: string; us: number },
): void => {
  const used = state.exports_today.day === day ? state.exports_today.count : 0;
  if (terms.exportsPerDay === null || used < terms.exportsPerDay) return;
  const retryAfterS = Math.ceil((nextDayUs(us) - us) / 1e6);
  throw new DomainError(
    'export_daily_limit',
    `Your plan's limit for exports per UTC day is ${terms.exportsPerDay}. Try again after 00:00 UTC.`,
    {
      more: { retry_after_s: retryAfterS },
    },
  );
};

/** Clients retry after this time: long enough to limit polling, short compared with an export. */
const pendingRetryS = 10;

const refuseOverPendingLimit = (state: AccountState, terms: PlanTerms): void => {
  if (terms.exportsPending === null || Object.keys(state.reservations).length < terms.exportsPending) return;
  throw new DomainError(
    'export_pending_limit',
    `Your plan's limit for pending exports is ${terms.exportsPending}. Wait until an export is ready, or cancel one.`,
    {
      more: { retry_after_s: pendingRetryS },
    },
  );
};
