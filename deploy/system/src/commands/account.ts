import { randomUUID } from 'node:crypto';
import { rpcClient } from '@almanac/bus';
import { commerceRpc, keysRpc, person } from '@almanac/contracts';
import { createAccount } from '../operator.js';
import { clean, counted, listed, moment } from '../history/format.js';
import { type CliContext, type Command, emailIn, findAccount, nameIn, planIn, UsageError } from './command.js';

export const accountCreate: Command = {
  words: 'account create',
  takes: '[--email E] [--name N] [--plan free|pro|full_book|internal]',
  does: 'Creates an account and prints its first API key on the last line. An e-mail address can have one account.',
  options: ['email', 'name', 'plan'],
  hasSubject: false,
  run: async ({ bus, text, print }) => {
    const plan = planIn(text('plan') ?? 'free');
    const { account, key } = await createAccount(bus, { plan, keyName: 'default', person: personIn(text) });
    print(`Account ${account} on the plan ${plan}. The key is shown only now:\n${key}`);
  },
};

const personIn = (text: CliContext['text']) => {
  const [email, name] = [text('email'), text('name')];
  if (email === undefined) {
    if (name !== undefined) throw new UsageError('--name needs --email. Add the email address.');
    return null;
  }
  const parsed = person.shape.name.safeParse(name ?? null);
  if (!parsed.success) throw new UsageError('A name must have 1 to 120 characters.');
  return { email: emailIn(email), name: parsed.data };
};

export const accountShow: Command = {
  words: 'account show',
  takes: 'ACCOUNT',
  does: 'Shows the current state of an account and its person.',
  options: ['account'],
  hasSubject: true,
  run: async (cliContext) => {
    const { state, person: parsed } = await findAccount(cliContext);
    const { account, plan, subscription, checkout } = state;
    const context = { requestId: randomUUID(), account };
    const { keys } = await rpcClient(cliContext.bus).call(keysRpc.list, { input: {}, context });
    const active = keys.filter(({ status }) => status === 'active').length;
    const today = new Date().toISOString().slice(0, 10);
    const exportsToday = state.exports_today.day === today ? state.exports_today.count : 0;
    const left = state.credits_granted - state.credits_used;
    const lines = {
      Account: account,
      'E-mail': parsed === null ? 'unknown' : clean(parsed.email),
      Name: clean(parsed?.name ?? 'unknown'),
      Plan: plan,
      Subscription:
        subscription === null
          ? 'none'
          : `${subscription.id}, ${subscription.status}, paid until ${moment(subscription.period_end_us)}`,
      Customer: state.customer_id ?? 'none',
      Keys: `${active} active, ${keys.length - active} revoked`,
      Credits: `${left} of ${state.credits_granted} left`,
      Exports: `${exportsToday} today, ${Object.keys(state.reservations).length} pending`,
      Cart: state.cart.length === 0 ? 'empty' : listed(state.cart.map(({ event }) => event)),
      Checkout:
        checkout === null
          ? 'none open'
          : `${checkout.id} of ${counted(checkout.events.length, 'event')}, since ${moment(checkout.at_us)}`,
    };
    for (const [what, value] of Object.entries(lines)) cliContext.print(`${what.padEnd(14)}${value}`);
  },
};

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

export const accountErase: Command = {
  words: 'account erase',
  takes: 'ACCOUNT [--yes]',
  does: 'Erases the e-mail address, the name and the customer at the payment provider. Keys and purchases stay.',
  options: ['account', 'yes'],
  hasSubject: true,
  run: async (cliContext) => {
    const given = cliContext.text('account') ?? cliContext.subject;
    if (given === undefined) throw new UsageError('Name the account by its id or its email address.');
    const input = nameIn(given);
    if (!cliContext.yes && !(await isConfirmed(cliContext))) return cliContext.print('Nothing was erased.');
    const { account, record, customer } = await rpcClient(cliContext.bus).call(commerceRpc.eraseAccount, {
      input,
      context: { requestId: randomUUID() },
    });
    const nothing = `The account ${account} has no personal data.`;
    cliContext.print(record ? `Erased the personal data of the account ${account}. Its keys still work.` : nothing);
    if (customer) cliContext.print('Deleted the customer at the payment provider and any subscription.');
  },
};

const lost = 'Erased data cannot be restored';

const isConfirmed = async ({ confirm }: CliContext): Promise<boolean> => {
  if (confirm === null) throw new UsageError(`${lost}. To confirm, add --yes.`);
  return confirm(`${lost}.`);
};
