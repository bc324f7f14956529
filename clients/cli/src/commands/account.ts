import type { ApiKey, Plan } from '@almanac/client/node';
import type { CommandContext, CommandSpec, Result } from '../command.js';
import { type Column, factsOf, tableOf } from '../output/table.js';
import { count, money, time, used } from '../output/values.js';
import { painterOf } from '../terminal.js';
import { readList, tableStyle, timeOption } from './reads.js';

const plan: CommandSpec = {
  name: 'plan',
  summary: 'Show your plan, how much of its limits is used, and what each plan costs',
  args: [],
  options: {},
  examples: ['almanac-data plan', 'almanac-data plan --json'],
  run: async (context): Promise<Result> => {
    const found = await context.almanac.plan.get();
    const plans = tableOf(found.plans, planColumns, tableStyle(context, ''));
    const lines = [...planLines(context, found), '', ...plans];
    return { json: context.answers(/\/plan$/), items: [found], lines };
  },
};

const yesNo = (value: boolean): string => (value ? 'yes' : 'no');
const limit = (value: number | null): string => (value === null ? 'unlimited' : count(value));

const planColumns: readonly Column<Plan['plans'][number]>[] = [
  { title: 'PLAN', value: ({ id }) => id },
  { title: 'PER MONTH', value: ({ price }) => money(price), isRight: true },
  { title: 'REQUESTS PER MINUTE', value: ({ requests_per_minute }) => limit(requests_per_minute), isRight: true },
  { title: 'EXPORTS PER DAY', value: ({ exports_per_day }) => limit(exports_per_day), isRight: true },
  { title: 'KEYS', value: ({ api_keys }) => limit(api_keys), isRight: true },
  { title: 'EXPORTS', value: ({ export_included }) => yesNo(export_included) },
  { title: 'BOOKS', value: ({ full_book }) => yesNo(full_book) },
];

const planLines = ({ terminal }: CommandContext, { plan: own, entitlements, free_export_credit }: Plan): string[] => {
  const { requests_per_minute, exports_per_day, exports_pending, api_keys } = entitlements;
  return factsOf(
    [
      ['plan', `${own.name} (${own.id})`],
      ['price', own.price === null ? null : `${money(own.price)} per month`],
      ['requests', requests_per_minute === null ? 'unlimited' : `${count(requests_per_minute)} per minute`],
      ['exports today', `${used(exports_per_day)}, resets ${time(exports_per_day.resets_ts)}`],
      ['exports pending', used(exports_pending)],
      ['API keys', used(api_keys)],
      ['free exports left', count(free_export_credit.remaining)],
      ['exports included', yesNo(entitlements.export_included)],
      ['order books in exports', yesNo(entitlements.l2_export)],
      ['full books', yesNo(entitlements.full_book)],
    ],
    painterOf(terminal, terminal.stdout),
  );
};

const upgrade: CommandSpec = {
  name: 'plan upgrade',
  summary: 'Upgrade to a larger plan',
  details: ['Prints the address where it is paid. Without a payment provider, the plan begins at once.'],
  args: [{ name: 'PLAN', choices: ['pro', 'full_book'] }],
  options: {},
  examples: ['almanac-data plan upgrade pro'],
  run: async (context): Promise<Result> => {
    const [tier] = context.args;
    const begun = await context.almanac.billing.upgrade(tier as 'pro' | 'full_book');
    const facts: (readonly [string, unknown])[] = [['plan', begun.plan]];
    if (begun.checkout_url !== null) facts.push(['pay at', begun.checkout_url]);
    const lines = factsOf(facts, tableStyle(context, '').paint);
    return { json: context.answers(/\/billing\/upgrade$/), items: [begun], lines, remarks: begun.remarks ?? [] };
  },
};

const portal: CommandSpec = {
  name: 'plan portal',
  summary: 'Print the URL of the billing portal: invoices, cards, cancellation',
  args: [],
  options: {},
  examples: ['almanac-data plan portal'],
  run: async (context): Promise<Result> => {
    const found = await context.almanac.billing.portal();
    const lines = [found.portal_url ?? 'This server has no payment provider.'];
    return { json: context.answers(/\/billing\/portal$/), items: [found], lines };
  },
};

const keyColumns: readonly Column<ApiKey>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name, isFlexible: true },
  { title: 'KEY', value: ({ prefix, last4 }) => `${prefix}…${last4}` },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'CREATED (UTC)', value: ({ created_ts }) => time(created_ts) },
  { title: 'LAST USED (UTC)', value: ({ last_used_ts }) => time(last_used_ts) },
  { title: 'AS OF (UTC)', value: ({ as_of }) => time(as_of) },
];

const listKeys: CommandSpec = {
  name: 'keys',
  summary: 'List the API keys of your account',
  args: [],
  options: { all: { summary: 'List all items, not only the first page' } },
  examples: ['almanac-data keys'],
  run: async (context): Promise<Result> => {
    const { items, remarks } = await readList(context, context.almanac.keys.list(), ({ keys }) => keys);
    const lines = tableOf(items, keyColumns, tableStyle(context, 'There are no keys.'));
    return { json: context.answers(/\/keys$/), items, lines, remarks };
  },
};

const createKey: CommandSpec = {
  name: 'keys create',
  summary: 'Create an API key. Its secret is shown once',
  args: [],
  options: {
    name: { value: 'NAME', summary: 'What the key is for' },
    'as-of': timeOption('The key reads the archive as it was known then, and never later'),
  },
  examples: ['almanac-data keys create --name laptop', 'almanac-data keys create --name backtest --as-of 2026-02-25'],
  run: async (context): Promise<Result> => {
    const { almanac, options, answers, terminal } = context;
    const [name, asOf] = [options.text('name'), options.time('as-of')];
    const key = await almanac.keys.create({
      ...(name === undefined ? {} : { name }),
      ...(asOf === undefined ? {} : { as_of: asOf }),
    });
    const secret = key.secret ?? 'not shown again: its answer was lost. Revoke this key, and create another one.';
    const facts: (readonly [string, unknown])[] = [
      ['id', key.id],
      ['name', key.name],
      ['secret', secret],
    ];
    const remarks = key.secret === null ? [] : ['Store the secret now. It is not shown again.'];
    const lines = factsOf(facts, painterOf(terminal, terminal.stdout));
    return { json: answers(/\/keys$/), items: [key], lines, remarks };
  },
};

const revokeKey: CommandSpec = {
  name: 'keys revoke',
  summary: 'Revoke an API key immediately',
  args: [{ name: 'ID' }],
  options: {},
  examples: ['almanac-data keys revoke key_3f9c'],
  run: async (context): Promise<Result> => {
    const [id = ''] = context.args;
    const key = await context.almanac.keys.revoke(id);
    return {
      json: context.answers(/\/keys\/[^/]+$/),
      items: [key],
      lines: tableOf([key], keyColumns, tableStyle(context, '')),
    };
  },
};

export const accountCommands: readonly CommandSpec[] = [plan, upgrade, portal, listKeys, createKey, revokeKey];
