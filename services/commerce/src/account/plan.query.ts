import { subjects } from '@almanac/bus';
import type { RpcContext } from '@almanac/bus/server';
import {
  type AccountState,
  type commerceRpc,
  keyringState,
  moneyOf,
  nextUtcDayUs,
  type OutputOf,
  planIds,
  type planResponse,
  type PlanTerms,
  publicPlanId,
  secondsOf,
  utcDayOf,
} from '@almanac/contracts';
import type { z } from 'zod';
import type { CommerceContext, PriceList } from '../commerce-deps.js';

interface PlanContext extends Pick<PriceList, 'plans'> {
  /** The number of active keys. */
  readonly keys: number;
  readonly nowUs: number;
}

export const showPlan = async (
  { accounts, store, terms, nowUs }: CommerceContext,
  { caller }: RpcContext,
): Promise<OutputOf<typeof commerceRpc.plan>> => {
  const [state, keyring] = await Promise.all([
    accounts.show(caller),
    store.loadToShow(subjects.keyring(caller), keyringState),
  ]);
  const keys = keyring?.state.keys.filter((key) => key.revoked_us === null).length ?? 0;
  return planAnswer(state, { keys, plans: terms.plans, nowUs: nowUs() });
};

/** The terms of all plans, for the operator. */
export const listPlans = ({ terms }: CommerceContext): OutputOf<typeof commerceRpc.listPlans> => ({
  plans: planIds.map((id) => ({ id, terms: terms.plans[id] })),
});

/** The plan of an account with its usage, and the plans that it can have. */
export const planAnswer = (state: AccountState, { keys, plans, nowUs }: PlanContext): z.input<typeof planResponse> => {
  const terms = plans[state.plan];
  const { api_keys, requests_per_minute, exports_per_day, exports_pending } = limitsOf(terms);
  const { day, count } = state.exports_today;
  return {
    plan: { id: state.plan, ...namedOf(terms) },
    entitlements: {
      api_keys: { limit: api_keys, used: keys },
      requests_per_minute,
      exports_per_day: {
        limit: exports_per_day,
        used: day === utcDayOf(nowUs) ? count : 0,
        resets_ts: secondsOf(nextUtcDayUs(nowUs)) ?? 0,
      },
      exports_pending: { limit: exports_pending, used: Object.keys(state.reservations).length },
      ...coverageOf(terms),
    },
    free_export_credit: {
      granted: state.credits_granted,
      used: state.credits_used,
      remaining: state.credits_granted - state.credits_used,
    },
    plans: publicPlanId.options.map((id) => ({
      id,
      ...namedOf(plans[id]),
      ...limitsOf(plans[id]),
      ...coverageOf(plans[id]),
    })),
  };
};

const namedOf = ({ name, price }: PlanTerms) => ({ name, price: moneyOf(price) });

const limitsOf = ({ apiKeys, requestsPerMinute, exportsPerDay, exportsPending }: PlanTerms) => ({
  api_keys: apiKeys,
  requests_per_minute: requestsPerMinute,
  exports_per_day: exportsPerDay,
  exports_pending: exportsPending,
});

const coverageOf = ({ exportIncluded, l2Export, fullBook }: PlanTerms) => ({
  export_included: exportIncluded,
  l2_export: l2Export,
  full_book: fullBook,
});
