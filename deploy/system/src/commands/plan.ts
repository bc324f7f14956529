import { randomUUID } from 'node:crypto';
import { rpcClient } from '@almanac/bus';
import { commerceRpc } from '@almanac/contracts';
import { type Command, findAccount, planIn, UsageError } from './command.js';

export const planSet: Command = {
  words: 'plan set',
  takes: '--account ACCOUNT --plan free|pro|full_book|internal',
  does: 'Changes the plan of an account to any plan, without a payment.',
  options: ['account', 'plan'],
  hasSubject: false,
  run: async (cliContext) => {
    const given = cliContext.text('plan');
    if (given === undefined) throw new UsageError('Name the plan with --plan: free, pro, full_book or internal.');
    const plan = planIn(given);
    const { state } = await findAccount(cliContext);
    const { before } = await rpcClient(cliContext.bus).call(commerceRpc.changePlan, {
      input: { account: state.account, plan },
      context: { requestId: randomUUID() },
    });
    const change = before === plan ? `is on the plan ${plan} already` : `was on the plan ${before}, now ${plan}`;
    cliContext.print(`The account ${state.account} ${change}.`);
  },
};
