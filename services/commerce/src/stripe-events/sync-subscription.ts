import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { subjects } from '@almanac/bus';
import {
  type AccountState,
  accountState,
  DomainError,
  isAbove,
  type PlanId,
  type SoldPlanId,
  type Subscription,
} from '@almanac/contracts';
import { ConflictError, type LoadedState } from '@almanac/event-store';
import { backoffMs } from '@almanac/runtime';
import { accountDecider } from '../account/account.decider.js';
import type { StripeSubscription } from '../stripe/stripe.js';
import type { StripeEventDeps } from './apply-checkout.js';

type SubscriptionDeps = Pick<StripeEventDeps, 'commerce' | 'stripe' | 'graceUs'>;
type Sold = StripeSubscription & { readonly plan: SoldPlanId };

const attemptsMax = 20;

/**
 * Sets an account's plan to that of its current subscription at Stripe. It reads the account first and stores the
 * result only if the account has not changed, so an older reading never overwrites a newer one. Of several
 * subscriptions the best stays and the others end, so nobody pays twice.
 */
export const syncSubscription = async (deps: SubscriptionDeps, account: string): Promise<void> => {
  const { commerce, stripe } = deps;
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const loaded = await commerce.store.load(subjects.account(account), accountState);
    if (loaded === undefined) return;
    if (loaded.newer !== undefined) throw loaded.newer;
    const customer = loaded.state.customer_id;
    // Deleting a customer ends its subscriptions.
    const [current, ...others] = bestFirst(customer === null ? [] : await stripe.subscriptionsOf(customer));
    if (await stored(deps, loaded, current)) {
      for (const { id } of others) await stripe.endSubscription(id);
      return;
    }
    await delay(backoffMs(attempt, { firstMs: 1, mostMs: 100 }));
  }
  throw new DomainError(
    'conflict',
    'Other requests keep changing this account, so the subscription was not saved. Send the event again.',
  );
};

/** Returns false if the account has changed. */
const stored = async (
  { commerce, graceUs }: SubscriptionDeps,
  { state, seq }: LoadedState<AccountState>,
  current: Sold | undefined,
): Promise<boolean> => {
  const { account } = state;
  const now = commerce.nowUs();
  const subscription = current === undefined ? null : recordOf(current, state.subscription, now);
  const plan = planOf(subscription, state, now - graceUs);
  const decider = accountDecider(account);
  const domainEvent = decider.decide({ type: 'change-subscription', subscription, plan }, state);
  if (domainEvent === null) return true;
  const after = decider.evolve(state, domainEvent);
  const event = {
    id: randomUUID(),
    type: domainEvent.type,
    version: 1,
    time: now,
    account,
    data: domainEvent.data,
    state: after,
  } as const;
  try {
    await commerce.store.append(subjects.account(account), event, seq);
    return true;
  } catch (error) {
    if (error instanceof ConflictError) return false;
    throw error;
  }
};

const ranks: Readonly<Record<string, number>> = { active: 3, trialing: 3, past_due: 2, unpaid: 1, paused: 1 };
const rankOf = ({ status }: StripeSubscription): number => ranks[status] ?? 0;

/** Our subscriptions that have not ended: paid ones first, then the higher plan, then the newer one. */
const bestFirst = (all: readonly StripeSubscription[]): Sold[] =>
  all
    .filter((one): one is Sold => one.plan !== null && rankOf(one) > 0)
    .toSorted((one, other) => {
      const byPlan = one.plan === other.plan ? 0 : isAbove(one.plan, other.plan) ? -1 : 1;
      return rankOf(other) - rankOf(one) || byPlan || other.createdUs - one.createdUs;
    });

const recordOf = (
  { id, status, plan, periodEndUs }: Sold,
  before: Subscription | null,
  nowUs: number,
): Subscription => {
  const since = before?.id === id && before.status === 'past_due' ? before.past_due_us : nowUs;
  const known = before?.id === id ? before : {};
  return { ...known, id, status, plan, period_end_us: periodEndUs, past_due_us: status === 'past_due' ? since : null };
};

/** Without a subscription, a plan that the operator set stays. */
const planOf = (subscription: Subscription | null, state: AccountState, graceStartUs: number): PlanId => {
  if (state.plan === 'internal') return 'internal';
  if (subscription === null) return state.subscription === null ? state.plan : 'free';
  const { status, plan } = subscription;
  if (status === 'active' || status === 'trialing') return plan;
  return isInGrace(subscription, graceStartUs) ? plan : 'free';
};

const isInGrace = ({ status, past_due_us }: Subscription, graceStartUs: number): boolean =>
  status === 'past_due' && past_due_us !== null && past_due_us > graceStartUs;
