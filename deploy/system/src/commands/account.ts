import { randomUUID } from 'node:crypto';
import { rpcClient } from '@almanac/bus';
import { commerceRpc, keysRpc, person } from '@almanac/contracts';
import { createAccount } from '../operator.js';
import { clean, counted, listed, moment } from '../history/print.js';
import { type Asked, type Command, emailIn, findAccount, nameIn, planIn, UsageError } from './command.js';

export const accountCreate: Command = {
  words: 'account create',
  takes: '[--email E] [--name N] [--plan free|pro|full_book|internal]',
  does: 'Opens an account and prints its first API key, alone on the last line. An e-mail address has one account.',
  options: ['email', 'name', 'plan'],
  hasSubject: false,
  run: async ({ bus, text, say }) => {
    const plan = planIn(text('plan') ?? 'free');
    const { account, key } = await createAccount(bus, { plan, keyName: 'default', person: personIn(text) });
    say(`Account ${account} on the plan ${plan}. The key is shown only now:\n${key}`);
  },
};

const personIn = (text: Asked['text']) => {
  const [email, name] = [text('email'), text('name')];
  if (email === undefined) {
    if (name !== undefined) throw new UsageError('--name needs --email. Add the email address.');
    return null;
  }
  const known = person.shape.name.safeParse(name ?? null);
  if (!known.success) throw new UsageError('A name must have 1 to 120 characters.');
  return { email: emailIn(email), name: known.data };
};

export const accountShow: Command = {
  words: 'account show',
  takes: 'ACCOUNT',
  does: 'An account as it is now, and the person behind it.',
  options: ['account'],
  hasSubject: true,
  run: async (asked) => {
    const { state, person: known } = await findAccount(asked);
    const { account, plan, subscription, checkout } = state;
    const context = { requestId: randomUUID(), account };
    const { keys } = await rpcClient(asked.bus).call(keysRpc.list, { input: {}, context });
    const active = keys.filter(({ status }) => status === 'active').length;
    const today = new Date().toISOString().slice(0, 10);
    const exportsToday = state.exports_today.day === today ? state.exports_today.count : 0;
    const left = state.credits_granted - state.credits_used;
    const lines = {
      Account: account,
      'E-mail': known === null ? 'not known' : clean(known.email),
      Name: clean(known?.name ?? 'not known'),
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
    for (const [what, value] of Object.entries(lines)) asked.say(`${what.padEnd(14)}${value}`);
  },
};

export const accountErase: Command = {
  words: 'account erase',
  takes: 'ACCOUNT [--yes]',
  does: 'Forgets the person: e-mail address and name here, the customer at the payment provider. Keys and purchases stay.',
  options: ['account', 'yes'],
  hasSubject: true,
  run: async (asked) => {
    const given = asked.text('account') ?? asked.subject;
    if (given === undefined) throw new UsageError('Name the account by its id or its email address.');
    const input = nameIn(given);
    if (!asked.yes && !(await isConfirmed(asked))) return asked.say('Nothing was erased.');
    const { account, record, customer } = await rpcClient(asked.bus).call(commerceRpc.eraseAccount, {
      input,
      context: { requestId: randomUUID() },
    });
    const nothing = `Nothing was known of the person of the account ${account}.`;
    asked.say(
      record ? `Erased what was known of the person of the account ${account}. Its keys go on to work.` : nothing,
    );
    if (customer) asked.say('The customer at the payment provider is deleted, and with it a subscription.');
  },
};

const lost = 'Erased data cannot be restored';

const isConfirmed = async ({ confirm }: Asked): Promise<boolean> => {
  if (confirm === null) throw new UsageError(`${lost}. To confirm, add --yes.`);
  return confirm(`${lost}.`);
};
