import { randomUUID } from 'node:crypto';
import { idOf, patterns, readSubjects, rpcClient } from '@almanac/bus';
import { type AccountState, commerceRpc, DomainError, type Person, person } from '@almanac/contracts';
import { pluralize, forEachConcurrent } from '@almanac/runtime';
import { createAccount } from '../operator.js';
import { clean, listed, moment, table } from '../history/format.js';
import { allKeys } from './key.js';
import { type CliContext, type Command, emailIn, findAccount, nameIn, planIn } from './command.js';
import { UsageError } from '../error-message.js';

export const accountCreate: Command = {
  words: 'account create',
  takes: '[--email E] [--name N] [--plan free|pro|full_book|internal]',
  does: 'Creates an account and prints its first API key on the last line. An e-mail address can have one account.',
  options: ['email', 'name', 'plan'],
  hasSubject: false,
  run: async ({ bus, text, show }) => {
    const plan = planIn(text('plan') ?? 'free');
    const { account, key } = await createAccount(bus, { plan, keyName: 'default', person: personIn(text) });
    show([{ account, plan, key }], `Account ${account} on the plan ${plan}. The key is shown only now:\n${key}`);
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
    const { state, person: found } = await findAccount(cliContext);
    const context = { requestId: randomUUID(), account: state.account };
    const keys = await allKeys(cliContext.bus, context);
    const active = keys.filter(({ status }) => status === 'active').length;
    const item = { ...summaryOf(state, found), keys: { active, revoked: keys.length - active }, ...detailsOf(state) };
    cliContext.show([item], linesOf(item).join('\n'));
  },
};

const summaryOf = (state: AccountState, found: Person | null) => {
  const today = new Date().toISOString().slice(0, 10);
  return {
    account: state.account,
    email: found?.email ?? null,
    name: found?.name ?? null,
    plan: state.plan,
    credits: { granted: state.credits_granted, left: state.credits_granted - state.credits_used },
    exports: {
      today: state.exports_today.day === today ? state.exports_today.count : 0,
      pending: Object.keys(state.reservations).length,
    },
  };
};

const detailsOf = ({ subscription, customer_id, cart, checkout }: AccountState) => ({
  subscription: subscription && {
    id: subscription.id,
    status: subscription.status,
    period_end_ts: subscription.period_end_us / 1e6,
  },
  customer_id,
  cart: cart.map(({ event }) => event),
  checkout: checkout && {
    id: checkout.id,
    events: checkout.events,
    since_ts: checkout.at_us / 1e6,
  },
});

type Summary = ReturnType<typeof summaryOf>;
type Shown = Summary &
  ReturnType<typeof detailsOf> & { readonly keys: { readonly active: number; readonly revoked: number } };

const linesOf = ({ account, plan, keys, credits, exports, cart, ...shown }: Shown): string[] => {
  const { subscription, checkout } = shown;
  const lines = {
    Account: account,
    'E-mail': clean(shown.email ?? 'unknown'),
    Name: clean(shown.name ?? 'unknown'),
    Plan: plan,
    Subscription: subscription
      ? `${subscription.id}, ${subscription.status}, paid until ${moment(subscription.period_end_ts * 1e6)}`
      : 'none',
    Customer: shown.customer_id ?? 'none',
    Keys: `${keys.active} active, ${keys.revoked} revoked`,
    Credits: `${credits.left} of ${credits.granted} left`,
    Exports: `${exports.today} today, ${exports.pending} pending`,
    Cart: cart.length === 0 ? 'empty' : listed(cart),
    Checkout: checkout
      ? `${checkout.id} of ${pluralize(checkout.events.length, 'event')}, since ${moment(checkout.since_ts * 1e6)}`
      : 'none open',
  };
  return Object.entries(lines).map(([what, value]) => `${what.padEnd(14)}${value}`);
};

export const accountList: Command = {
  words: 'account list',
  takes: '[--plan free|pro|full_book|internal]',
  does: 'Lists all accounts, or those on a plan. The account that changed last comes last.',
  options: ['plan'],
  hasSubject: false,
  run: async ({ bus, text, show }) => {
    const given = text('plan');
    const plan = given === undefined ? undefined : planIn(given);
    const client = rpcClient(bus);
    const accounts = new Map<string, Summary | undefined>();
    const unreadable: number[] = [];
    const changed = readSubjects(bus, {
      stream: 'EVT_COMMERCE',
      filter: patterns.allAccounts,
      lastOnly: true,
      onUnreadable: (_error, { subject, seq }) => {
        unreadable.push(seq);
        accounts.set(accountOf(subject), undefined);
      },
    });
    for await (const { subject } of changed) accounts.set(accountOf(subject), undefined);
    await forEachConcurrent([...accounts.keys()], concurrentReads, async (account) => {
      const context = { requestId: randomUUID() };
      const found = await client.call(commerceRpc.findAccount, { input: { account }, context }).catch(ignoreMissing);
      if (found !== undefined) accounts.set(account, summaryOf(found.state, found.person));
    });
    const items = [...accounts.values()]
      .filter((one) => one !== undefined)
      .filter((one) => (plan ?? one.plan) === one.plan);
    show(items, `${table([listHeading, ...items.map(listCells)])}\n${pluralize(items.length, 'account')}`);
    if (unreadable.length > 0) throw new UsageError(`Events of EVT_COMMERCE cannot be read: ${unreadable.join(', ')}.`);
  },
};

const accountOf = (subject: string): string => idOf(subject.split('.')[2] ?? '');

/** A subject that has only unreadable messages belongs to no account. */
const ignoreMissing = (error: unknown): undefined => {
  if (!(error instanceof DomainError && error.code === 'account_not_found')) throw error;
};

const concurrentReads = 16;
const listHeading = ['ACCOUNT', 'PLAN', 'CREDITS', 'EXPORTS TODAY', 'E-MAIL'];

const listCells = ({ account, plan, credits, exports, email }: Summary): string[] => [
  account,
  plan,
  `${credits.left} of ${credits.granted}`,
  String(exports.today),
  clean(email ?? 'unknown'),
];

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
    if (!cliContext.yes && !(await isConfirmed(cliContext))) {
      return cliContext.show([{ erased: false }], 'Nothing was erased.');
    }
    const { account, record, customer } = await rpcClient(cliContext.bus).call(commerceRpc.eraseAccount, {
      input,
      context: { requestId: randomUUID() },
    });
    const nothing = `The account ${account} has no personal data.`;
    const lines = [
      record ? `Erased the personal data of the account ${account}. Its keys still work.` : nothing,
      ...(customer ? ['Deleted the customer at the payment provider and any subscription.'] : []),
    ];
    cliContext.show([{ account, erased: record, customer_deleted: customer }], lines.join('\n'));
  },
};

const lost = 'Erased data cannot be restored';

const isConfirmed = async ({ confirm }: CliContext): Promise<boolean> => {
  if (confirm === null) throw new UsageError(`${lost}. To confirm, add --yes.`);
  return confirm(`${lost}.`);
};
