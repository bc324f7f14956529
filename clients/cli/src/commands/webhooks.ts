import type { Webhook, WebhookAttempt } from '@almanac/client/node';
import type { CommandContext, CommandSpec, Result } from '../command.js';
import { UsageError } from '../errors.js';
import { type Column, factsOf, tableOf } from '../output/table.js';
import { time } from '../output/values.js';
import { listOptions, readList, tableStyle } from './reads.js';

type EventType = Webhook['events'][number];

const eventTypes: readonly EventType[] = [
  'export.created',
  'export.ready',
  'export.failed',
  'export.cancelled',
  'market.settled',
  'market.data_changed',
];

const webhookColumns: readonly Column<Webhook>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'URL', value: ({ url }) => url, isFlexible: true },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'EVENTS', value: ({ events }) => events.join(', ') },
];

const factsOfWebhook = (context: CommandContext, webhook: Webhook, secret?: string): string[] => {
  const facts: (readonly [string, unknown])[] = [
    ['id', webhook.id],
    ['url', webhook.url],
    ['events', webhook.events.join(', ')],
    ['markets', webhook.tickers.join(', ')],
    ['series', webhook.series.join(', ')],
    ['description', webhook.description],
    ['created', time(webhook.created_ts)],
    ['status', webhook.status],
    ['disabled', webhook.disabled_reason],
    ['secret', secret],
  ];
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== '');
  return factsOf(known, tableStyle(context, '').paint);
};

/** A call that answers with one webhook. */
const one = (context: CommandContext, path: RegExp, webhook: Webhook): Result => ({
  json: context.answers(path),
  items: [webhook],
  lines: factsOfWebhook(context, webhook),
});

/** The answer of a call whose secret is shown once. */
const oneWithSecret = (
  context: CommandContext,
  path: RegExp,
  webhook: Webhook & { readonly secret: string | null },
): Result => {
  const secret = webhook.secret ?? 'not shown again: its answer was lost. Replace it: almanac-data webhooks rotate ID';
  const remarks = webhook.secret === null ? [] : ['Store the secret now. It is not shown again.'];
  return { ...one(context, path, webhook), lines: factsOfWebhook(context, webhook, secret), remarks };
};

const id = [{ name: 'ID' }] as const;
const example = '7hq2mz0b4k9c1d5e8f';

const list: CommandSpec = {
  name: 'webhooks',
  summary: 'List the webhooks of your account',
  args: [],
  options: {},
  examples: ['almanac-data webhooks'],
  run: async (context): Promise<Result> => {
    const { webhooks } = await context.almanac.webhooks.list();
    const lines = tableOf(webhooks, webhookColumns, tableStyle(context, 'There are no webhooks.'));
    return { json: context.answers(/\/webhooks$/), items: webhooks, lines };
  },
};

const create: CommandSpec = {
  name: 'webhooks create',
  summary: 'Create a webhook. Its secret is shown once',
  args: [{ name: 'URL' }],
  options: {
    events: { value: 'TYPE', summary: 'The events to send', isList: true, choices: eventTypes },
    tickers: { value: 'TICKER', summary: 'Only events of these markets', isList: true },
    series: { value: 'ID', summary: 'Only events of these series', isList: true },
    description: { value: 'TEXT', summary: 'What the webhook is for' },
  },
  examples: [
    'almanac-data webhooks create https://example.com/almanac --events export.ready,export.failed',
    'almanac-data webhooks create https://example.com/almanac --events market.settled --series GENBTC15M',
  ],
  run: async (context): Promise<Result> => {
    const { almanac, args, options } = context;
    const [url = ''] = args;
    const [events, tickers, series] = [options.list('events'), options.list('tickers'), options.list('series')];
    const description = options.text('description');
    if (events === undefined) throw new UsageError('--events is missing.', `Give some of ${eventTypes.join(', ')}.`);
    const webhook = await almanac.webhooks.create({
      url,
      events: events as EventType[],
      ...(tickers === undefined ? {} : { tickers: [...tickers] }),
      ...(series === undefined ? {} : { series: [...series] }),
      ...(description === undefined ? {} : { description }),
    });
    return oneWithSecret(context, /\/webhooks$/, webhook);
  },
};

const get: CommandSpec = {
  name: 'webhooks get',
  summary: 'Show a webhook, and why it is disabled',
  args: id,
  options: {},
  examples: [`almanac-data webhooks get ${example}`],
  run: async (context): Promise<Result> => {
    const [webhook = ''] = context.args;
    return one(context, /\/webhooks\/[^/]+$/, await context.almanac.webhooks.get(webhook));
  },
};

const remove: CommandSpec = {
  name: 'webhooks delete',
  summary: 'Delete a webhook and its deliveries',
  args: id,
  options: {},
  examples: [`almanac-data webhooks delete ${example}`],
  run: async (context): Promise<Result> => {
    const [webhook = ''] = context.args;
    const deleted = await context.almanac.webhooks.delete(webhook);
    const lines = [`Deleted the webhook ${deleted.id} to ${deleted.url}.`];
    return { json: context.answers(/\/webhooks\/[^/]+$/), items: [deleted], lines };
  },
};

const rotate: CommandSpec = {
  name: 'webhooks rotate',
  summary: 'Replace the secret. The previous one stays valid for 24 hours',
  args: id,
  options: {},
  examples: [`almanac-data webhooks rotate ${example}`],
  run: async (context): Promise<Result> => {
    const [webhook = ''] = context.args;
    return oneWithSecret(context, /\/rotate$/, await context.almanac.webhooks.rotate(webhook));
  },
};

const enable: CommandSpec = {
  name: 'webhooks enable',
  summary: 'Send events again after the server disabled a webhook',
  args: id,
  options: {},
  examples: [`almanac-data webhooks enable ${example}`],
  run: async (context): Promise<Result> => {
    const [webhook = ''] = context.args;
    return one(context, /\/enable$/, await context.almanac.webhooks.enable(webhook));
  },
};

/** A delivery that the server sends soon. */
const queued = (context: CommandContext, path: RegExp, delivery: { readonly delivery_id: string }): Result => ({
  json: context.answers(path),
  items: [delivery],
  lines: [`Delivery ${delivery.delivery_id} is on its way.`],
  remarks: [`Its result: almanac-data webhooks deliveries ${context.args[0] ?? 'ID'}`],
});

const test: CommandSpec = {
  name: 'webhooks test',
  summary: 'Send a test event to a webhook',
  args: id,
  options: {},
  examples: [`almanac-data webhooks test ${example}`],
  run: async (context): Promise<Result> => {
    const [webhook = ''] = context.args;
    return queued(context, /\/test$/, await context.almanac.webhooks.test(webhook));
  },
};

const attemptColumns: readonly Column<WebhookAttempt>[] = [
  { title: 'SENT (UTC)', value: ({ sent_ts }) => time(sent_ts) },
  { title: 'DELIVERY', value: ({ id: delivery }) => delivery },
  { title: 'TYPE', value: ({ type }) => type },
  { title: 'TRY', value: ({ attempt }) => attempt, isRight: true },
  { title: 'STATUS', value: ({ status, response_status }) => `${status} ${response_status ?? ''}`.trim() },
  { title: 'ERROR', value: ({ error }) => error, isFlexible: true },
  { title: 'NEXT (UTC)', value: ({ next_attempt_ts }) => time(next_attempt_ts) },
];

const deliveries: CommandSpec = {
  name: 'webhooks deliveries',
  summary: 'List the newest attempts of a webhook, at most 100',
  args: id,
  options: listOptions,
  examples: [`almanac-data webhooks deliveries ${example} --limit 10`],
  run: async (context): Promise<Result> => {
    const { almanac, args, options, answers } = context;
    const [webhook = ''] = args;
    const found = almanac.webhooks.deliveries(webhook, { limit: options.whole('limit') });
    const { items, remarks } = await readList(context, found, (answer) => answer.deliveries);
    const lines = tableOf(items, attemptColumns, tableStyle(context, 'Nothing was sent yet.'));
    return { json: answers(/\/deliveries$/), items, lines, remarks };
  },
};

const redeliver: CommandSpec = {
  name: 'webhooks redeliver',
  summary: 'Send a delivery again',
  args: [{ name: 'ID' }, { name: 'DELIVERY' }],
  options: {},
  examples: [`almanac-data webhooks redeliver ${example} msg_5f0c3a1be2d94c7788aa`],
  run: async (context): Promise<Result> => {
    const [webhook = '', delivery = ''] = context.args;
    return queued(context, /\/redeliver$/, await context.almanac.webhooks.redeliver(webhook, delivery));
  },
};

export const webhookCommands: readonly CommandSpec[] = [
  list,
  create,
  get,
  remove,
  rotate,
  enable,
  test,
  deliveries,
  redeliver,
];
