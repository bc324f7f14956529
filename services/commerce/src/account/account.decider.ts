import { createHash } from 'node:crypto';
import {
  type AccountState,
  accountState,
  DomainError,
  eventPrice,
  type Grant,
  type PlanId,
  type PlanTerms,
  type Reservation,
} from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';

/** What a command must know beyond the account: the clock and the price list. */
interface Now {
  /** Integer microseconds. */
  readonly us: number;
  readonly plans: Readonly<Record<PlanId, PlanTerms>>;
}

export type AccountCommand =
  | { readonly type: 'open'; readonly plan: PlanId; readonly credits: number }
  | { readonly type: 'change-plan'; readonly plan: PlanId }
  | ({ readonly type: 'reserve'; readonly now: Now } & Claim)
  | { readonly type: 'confirm'; readonly exportId: string }
  | { readonly type: 'release'; readonly exportId: string; readonly reason: string };

/** What an export needs covered. `unlocked` tells whether each of its events is unlocked for good. */
export interface Claim {
  readonly exportId: string;
  readonly events: readonly string[];
  readonly dayPack: boolean;
  readonly l2: boolean;
  readonly unlocked: boolean;
}

export type AccountFact =
  | { readonly type: 'AccountOpened'; readonly data: { readonly plan: PlanId; readonly credits: number } }
  | { readonly type: 'PlanChanged'; readonly data: { readonly plan: PlanId } }
  | { readonly type: 'GrantReserved'; readonly data: Reservation & { readonly export_id: string } }
  | { readonly type: 'GrantConfirmed'; readonly data: { readonly export_id: string } }
  | { readonly type: 'GrantReleased'; readonly data: { readonly export_id: string; readonly reason: string } };

/** The UTC day of a time. */
export const dayOf = (us: number): string => new Date(us / 1_000).toISOString().slice(0, 10);

/** The start of the next UTC day, integer microseconds: when a day's count of exports begins anew. */
export const nextDayUs = (us: number): number => (Math.floor(us / 86_400e6) + 1) * 86_400e6;

/** One account: its plan, credits, today's exports and what its exports have claimed but not yet used. */
export const accountDecider = (account: string): Decider<AccountState, AccountCommand, AccountFact> => ({
  state: accountState,
  decide: (command, state) => {
    if (command.type === 'open') return open(command, state);
    if (state === undefined) throw new DomainError('internal', 'This account does not exist.');
    switch (command.type) {
      case 'change-plan':
        return command.plan === state.plan ? null : { type: 'PlanChanged', data: { plan: command.plan } };
      case 'reserve':
        return reserve(command, state);
      case 'confirm':
        if (!(command.exportId in state.reservations)) return null;
        return { type: 'GrantConfirmed', data: { export_id: command.exportId } };
      case 'release':
        if (!(command.exportId in state.reservations)) return null;
        return { type: 'GrantReleased', data: { export_id: command.exportId, reason: command.reason } };
      default:
        return unknown(command);
    }
  },
  evolve: (state, fact) => {
    if (fact.type === 'AccountOpened') return opened(account, fact.data);
    if (state === undefined) throw new Error(`${fact.type} of an account that was never opened`);
    switch (fact.type) {
      case 'PlanChanged':
        return { ...state, plan: fact.data.plan };
      case 'GrantReserved':
        return reserved(state, fact.data);
      case 'GrantConfirmed':
        return { ...state, reservations: without(state, fact.data.export_id) };
      case 'GrantReleased':
        return released(state, fact.data.export_id);
      default:
        return unknown(fact);
    }
  },
});

const unknown = (value: never): never => {
  throw new Error(`unknown account command or fact ${JSON.stringify(value)}`);
};

const open = (
  command: Extract<AccountCommand, { type: 'open' }>,
  state: AccountState | undefined,
): AccountFact | null => {
  if (state === undefined) return { type: 'AccountOpened', data: { plan: command.plan, credits: command.credits } };
  if (state.plan === command.plan) return null;
  throw new DomainError('account_exists', `The account exists, with the plan ${state.plan}.`);
};

/**
 * Two requests at once under one Idempotency-Key have one export id, so the second must not get the grant of the first
 * for something else.
 */
const reserve = (command: Extract<AccountCommand, { type: 'reserve' }>, state: AccountState): AccountFact | null => {
  const claim = fingerprintOf(command);
  const known = state.reservations[command.exportId];
  if (known?.claim === claim) return null;
  if (known !== undefined) {
    throw new DomainError('idempotency_conflict', 'This Idempotency-Key is in use for another export.');
  }
  const { now } = command;
  const terms = now.plans[state.plan];
  const grant = grantFor(command, { state, terms });
  const day = dayOf(now.us);
  if (grant !== 'unlock') refuseOverDailyLimit(state, { terms, day, us: now.us });
  refuseOverPendingLimit(state, terms);
  if (grant === null) throw paymentRequired(command, now.plans);
  const credit_event = grant === 'free_credit' ? (command.events[0] ?? null) : null;
  const reservation = { grant, day, at_us: now.us, credit_event, claim };
  return { type: 'GrantReserved', data: { export_id: command.exportId, ...reservation } };
};

/** Short, since a day pack has many events and an account's state stays small. */
const fingerprintOf = ({ events, dayPack, l2 }: Claim): string =>
  createHash('sha256')
    .update(JSON.stringify([events.toSorted(), dayPack, l2]))
    .digest('base64url')
    .slice(0, 22);

/** The first that covers: what was bought, the plan, a free credit (which pays for one event, not for a day pack). */
const grantFor = (claim: Claim, { state, terms }: { state: AccountState; terms: PlanTerms }): Grant | null => {
  if (claim.unlocked) return 'unlock';
  if (terms.exportIncluded && (!claim.l2 || terms.l2Export)) return 'plan';
  const creditLeft = state.credits_used < state.credits_granted;
  return creditLeft && !claim.dayPack && claim.events.length === 1 ? 'free_credit' : null;
};

const paymentRequired = (claim: Claim, plans: Now['plans']): DomainError => {
  const buy = claim.dayPack
    ? []
    : claim.events.map((event) => ({ type: 'buy_event', event, price: { amount: eventPrice, currency: 'USD' } }));
  const upgrade = (['pro', 'full_book'] as const)
    .filter((plan) => plans[plan].exportIncluded && (!claim.l2 || plans[plan].l2Export))
    .map((plan) => ({ type: 'upgrade', tier_id: plan, price: { amount: plans[plan].price, currency: 'USD' } }));
  return new DomainError('payment_required', 'This export is not covered: buy its event or upgrade the plan.', {
    more: { options: [...buy, ...upgrade] },
  });
};

const refuseOverDailyLimit = (
  state: AccountState,
  { terms, day, us }: { terms: PlanTerms; day: string; us: number },
): void => {
  const used = state.exports_today.day === day ? state.exports_today.count : 0;
  if (terms.exportsPerDay === null || used < terms.exportsPerDay) return;
  const retryAfterS = Math.ceil((nextDayUs(us) - us) / 1e6);
  throw new DomainError('export_daily_limit', `The plan allows ${terms.exportsPerDay} exports a day (UTC).`, {
    more: { retry_after_s: retryAfterS },
  });
};

/** What a pending export takes until it may be asked again: long enough not to be hammered, short beside an export. */
const pendingRetryS = 10;

const refuseOverPendingLimit = (state: AccountState, terms: PlanTerms): void => {
  if (terms.exportsPending === null || Object.keys(state.reservations).length < terms.exportsPending) return;
  throw new DomainError(
    'export_pending_limit',
    `The plan allows ${terms.exportsPending} exports in preparation at once.`,
    {
      more: { retry_after_s: pendingRetryS },
    },
  );
};

const opened = (account: string, { plan, credits }: { plan: PlanId; credits: number }): AccountState => ({
  account,
  plan,
  credits_granted: credits,
  credits_used: 0,
  exports_today: { day: '1970-01-01', count: 0 },
  reservations: {},
});

const reserved = (state: AccountState, data: Reservation & { export_id: string }): AccountState => {
  const { export_id, ...reservation } = data;
  const { day } = reservation;
  const before = state.exports_today.day === day ? state.exports_today.count : 0;
  return {
    ...state,
    credits_used: state.credits_used + (reservation.grant === 'free_credit' ? 1 : 0),
    exports_today: { day, count: before + (reservation.grant === 'unlock' ? 0 : 1) },
    reservations: { ...state.reservations, [export_id]: reservation },
  };
};

/** Gives back what the reservation took; a day that is over has nothing to give back to. */
const released = (state: AccountState, exportId: string): AccountState => {
  const reservation = state.reservations[exportId];
  if (reservation === undefined) return state;
  const { day, count } = state.exports_today;
  const counted = reservation.grant !== 'unlock' && reservation.day === day;
  return {
    ...state,
    credits_used: state.credits_used - (reservation.grant === 'free_credit' ? 1 : 0),
    exports_today: { day, count: count - (counted ? 1 : 0) },
    reservations: without(state, exportId),
  };
};

const without = (state: AccountState, exportId: string): AccountState['reservations'] =>
  Object.fromEntries(Object.entries(state.reservations).filter(([id]) => id !== exportId));
