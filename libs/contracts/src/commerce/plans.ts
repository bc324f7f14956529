import { z } from 'zod';

export const planIds = ['free', 'pro', 'full_book', 'internal'] as const;
export const planId = z.enum(planIds);
export type PlanId = z.infer<typeof planId>;

/** The plans for sale, lowest first. `internal` is only for the operator. */
export const soldPlanId = z.enum(['pro', 'full_book']);
export type SoldPlanId = z.infer<typeof soldPlanId>;

/** The plans that any account can have, lowest first. */
export const publicPlanId = z.enum(['free', ...soldPlanId.options]);

export const isAbove = (plan: PlanId, other: PlanId): boolean => planIds.indexOf(plan) > planIds.indexOf(other);

export const currency = 'USD';

export const money = z
  .object({
    amount: z.int().meta({ description: 'Amount in minor units, such as cents', examples: [4900] }),
    currency: z.string().meta({ description: 'Currency code (ISO 4217)', examples: ['USD'] }),
  })
  .meta({ id: 'Money', description: 'An amount in minor units of its currency.' });
export type Money = z.infer<typeof money>;

export const moneyOf = (amount: number): Money => ({ amount, currency });

const limit = z.int().min(0).nullable();

/** The limits of a plan; null is unlimited. Prices are minor units of USD per month. */
export const planTermsShape = z.object({
  name: z.string(),
  price: z.int().min(0),
  apiKeys: limit,
  requestsPerMinute: limit,
  exportsPerDay: limit,
  exportsPending: limit,
  exportIncluded: z.boolean(),
  l2Export: z.boolean(),
  fullBook: z.boolean(),
});
export type PlanTerms = Readonly<z.infer<typeof planTermsShape>>;

/** Default terms. A deployment overrides single values with `PLAN_TERMS` (JSON). */
export const defaultPlans: Readonly<Record<PlanId, PlanTerms>> = {
  free: {
    name: 'Free',
    price: 0,
    apiKeys: 2,
    requestsPerMinute: 120,
    exportsPerDay: 3,
    exportsPending: 1,
    exportIncluded: false,
    l2Export: false,
    fullBook: false,
  },
  pro: {
    name: 'Pro',
    price: 4_900,
    apiKeys: 10,
    requestsPerMinute: 1_200,
    exportsPerDay: 200,
    exportsPending: 5,
    exportIncluded: true,
    l2Export: false,
    fullBook: false,
  },
  full_book: {
    name: 'Full book',
    price: 14_900,
    apiKeys: 50,
    requestsPerMinute: 6_000,
    exportsPerDay: 1_000,
    exportsPending: 20,
    exportIncluded: true,
    l2Export: true,
    fullBook: true,
  },
  internal: {
    name: 'Internal',
    price: 0,
    apiKeys: null,
    requestsPerMinute: null,
    exportsPerDay: null,
    exportsPending: null,
    exportIncluded: true,
    l2Export: true,
    fullBook: true,
  },
};

/** Price of one event in minor units of USD, paid once. */
export const eventPrice = 500;
export const freeCredits = 1;

const termsOverride = planTermsShape.partial().strict();

/** Parses `PLAN_TERMS`, JSON such as `{"free": {"exportsPerDay": 5}}`, and merges it into the defaults. */
export const planTerms = z
  .string()
  .default('{}')
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON' });
      return z.NEVER;
    }
  })
  .pipe(z.partialRecord(planId, termsOverride))
  .transform((overrides): Readonly<Record<PlanId, PlanTerms>> => {
    const termsOf = (plan: PlanId) => ({ ...defaultPlans[plan], ...definedOf(overrides[plan] ?? {}) });
    return {
      free: termsOf('free'),
      pro: termsOf('pro'),
      full_book: termsOf('full_book'),
      internal: termsOf('internal'),
    };
  })
  .describe('JSON with fields that replace those of the default plans, such as `{"free": {"exportsPerDay": 5}}`');

/** Drops undefined values, which would hide a default. */
const definedOf = <T extends object>(override: T): { [Key in keyof T]: Exclude<T[Key], undefined> } =>
  Object.fromEntries(Object.entries(override).filter(([, value]) => value !== undefined)) as never;
