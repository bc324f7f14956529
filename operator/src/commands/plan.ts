import { randomUUID } from 'node:crypto';
import { rpcClient } from '@almanac/bus';
import { commerceRpc, planIds, type PlanTerms } from '@almanac/contracts';
import { price, table } from '../history/format.js';
import { anyOf, type Command, findAccount, planIn } from './command.js';
import { UsageError } from '../error-message.js';

export const planSet: Command = {
  words: 'plan set',
  takes: '--account ACCOUNT --plan free|pro|full_book|internal',
  does: 'Changes the plan of an account to any plan, without a payment.',
  options: ['account', 'plan'],
  hasSubject: false,
  run: async (cliContext) => {
    const given = cliContext.text('plan');
    if (given === undefined) throw new UsageError(`Name the plan with --plan: ${anyOf(planIds)}.`);
    const plan = planIn(given);
    const { state } = await findAccount(cliContext);
    const { before } = await rpcClient(cliContext.bus).call(commerceRpc.changePlan, {
      input: { account: state.account, plan },
      context: { requestId: randomUUID() },
    });
    const change = before === plan ? `is on the plan ${plan} already` : `was on the plan ${before}, now ${plan}`;
    cliContext.show([{ account: state.account, before, plan }], `The account ${state.account} ${change}.`);
  },
};

export const planList: Command = {
  words: 'plan list',
  takes: '',
  does: 'Lists the plans with their prices and limits, as this deployment has them.',
  options: [],
  hasSubject: false,
  run: async ({ bus, show }) => {
    const { plans } = await rpcClient(bus).call(commerceRpc.listPlans, {
      input: {},
      context: { requestId: randomUUID() },
    });
    const items = plans.map(({ id, terms }) => ({ id, ...itemOf(terms) }));
    const heading = ['PLAN', 'NAME', 'A MONTH', 'KEYS', 'REQUESTS/MIN', 'EXPORTS/DAY', 'PENDING', 'INCLUDES'];
    show(items, table([heading, ...plans.map(({ id, terms }) => [id, ...cellsOf(terms)])]));
  },
};

/** The names of `GET /plan`. */
const itemOf = (terms: PlanTerms): object => ({
  name: terms.name,
  price: terms.price,
  api_keys: terms.apiKeys,
  requests_per_minute: terms.requestsPerMinute,
  exports_per_day: terms.exportsPerDay,
  exports_pending: terms.exportsPending,
  export_included: terms.exportIncluded,
  l2_export: terms.l2Export,
  full_book: terms.fullBook,
});

const cellsOf = (terms: PlanTerms): string[] => {
  const limits = [terms.apiKeys, terms.requestsPerMinute, terms.exportsPerDay, terms.exportsPending];
  const includes = [
    ...(terms.exportIncluded ? ['exports'] : []),
    ...(terms.l2Export ? ['L2 exports'] : []),
    ...(terms.fullBook ? ['full books'] : []),
  ];
  return [
    terms.name,
    price(terms.price),
    ...limits.map((limit) => limit?.toLocaleString('en-US') ?? 'no limit'),
    includes.join(', ') || '-',
  ];
};
