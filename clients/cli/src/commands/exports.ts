import { AlmanacError, type Export, type ExportGroup, type ExportListItem } from '@almanac/client/node';
import type { CommandContext, CommandSpec, OptionSpec, Result } from '../command.js';
import { UsageError } from '../errors.js';
import { type Column, factsOf, tableOf } from '../output/table.js';
import { bytes, count, time } from '../output/values.js';
import { painterOf, prompt } from '../terminal.js';
import { downloadWithBar, waitWithBar } from './export-files.js';
import { requestOf, requestOptions } from './export-request.js';
import { grantText } from './quote.js';
import { listOptions, readList, tableStyle } from './reads.js';

const outputOptions = {
  output: {
    short: 'o',
    value: 'PATH',
    summary: 'Wait, then store the file at this path, or under its own name in a folder',
    completes: 'files',
  },
  overwrite: { summary: 'Replace another file of this name' },
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** The narrowest name of what an export contains. */
const targetOf = (state: ExportListItem | Export): string => {
  const { ticker, event, series, day, from, to } = state;
  if (ticker !== null || event !== null) return ticker ?? event ?? '';
  const many = 'tickers' in state ? (state.tickers ?? state.events ?? []) : [];
  const days = from === null || from === undefined || from === to ? (from ?? day) : `${from} to ${to ?? ''}`;
  return [...many, series, days].filter((each) => each !== null && each !== undefined).join(' ');
};

const exportFacts = ({ terminal }: CommandContext, state: Export): string[] => {
  const facts: (readonly [string, unknown])[] = [
    ['export', state.id],
    ['status', state.status],
    ['target', targetOf(state)],
    ['format', `${state.format}, ${state.streams.join(', ')}`],
    ['covered by', grantText(state.grant)],
    ['created', time(state.created_ts)],
    ['rows', state.row_count === null ? null : count(state.row_count)],
    ['size', state.bytes === 0 ? null : bytes(state.bytes)],
    ['sha256', state.sha256],
    ['dataset', state.dataset_id],
    ['error', state.error],
  ];
  const known = facts.filter(([, value]) => value !== null && value !== undefined);
  return factsOf(known, painterOf(terminal, terminal.stdout));
};

/** `-` would send bytes on before anybody knows that they are right. */
const outputOf = ({ options }: CommandContext): string | undefined => {
  const path = options.text('output');
  if (path !== '-' && path !== '') return path;
  throw new UsageError('A file goes to a path, so that only a verified one is used.', 'Give a path: -o PATH');
};

/** The state of one export, after waiting for it or storing its file where this was requested. */
const finish = async (context: CommandContext, first: Export): Promise<Result> => {
  const { almanac, answers, options } = context;
  const path = outputOf(context);
  const { id } = first;
  const one = /\/exports(\/[^/]+)?$/;
  if (path === undefined && !options.flag('wait')) {
    const remarks =
      first.status === 'pending' ? [`Wait for its file: almanac-data exports download ${id} -o PATH`] : [];
    return { json: answers(one).slice(-1), items: [first], lines: exportFacts(context, first), remarks };
  }
  await waitWithBar(context, id);
  const saved = path === undefined ? undefined : await downloadWithBar(context, id, path);
  const ready = await almanac.exports.get(id);
  const stored = saved === undefined ? [] : [`Stored ${saved.path} (${bytes(saved.bytes)}). Its SHA-256 is right.`];
  const lines = [...exportFacts(context, ready), ...stored];
  return { json: answers(one).slice(-1), items: [ready], lines, remarks: ready.remarks ?? [] };
};

const finishGroup = async (context: CommandContext, group: ExportGroup): Promise<Result> => {
  const { options, answers } = context;
  const path = outputOf(context);
  const stored: string[] = [];
  if (path !== undefined || options.flag('wait')) {
    for (const { id } of group.exports) {
      await waitWithBar(context, id);
      if (path !== undefined) stored.push((await downloadWithBar(context, id, folderOf(path))).path);
    }
  }
  return {
    json: answers(/\/exports$/),
    items: group.exports,
    lines: [
      ...tableOf(group.exports, exportColumns, tableStyle(context, 'No day has data.')),
      ...stored.map((each) => `Stored ${each}.`),
    ],
    remarks: group.remarks,
  };
};

/** Several files do not fit under one name. */
const folderOf = (path: string): string => (path.endsWith('/') ? path : `${path}/`);

const create: CommandSpec = {
  name: 'export',
  endsItself: true,
  summary: 'Export an event, markets, days or a dataset as one file',
  details: [
    'The file gets its name only after its SHA-256 is checked. The same command continues an interrupted download.',
  ],
  args: [],
  options: {
    ...requestOptions,
    'each-day': { summary: 'One export for each day of --from and --to. -o is a folder then' },
    'use-free-credit': { summary: 'Spend a free export credit if nothing else covers it. A terminal asks' },
    wait: { summary: 'Wait until the file is ready' },
    ...outputOptions,
    'idempotency-key': { value: 'KEY', summary: 'The same key with the same request is one export' },
  },
  examples: [
    'almanac-data export --event GENBTC15M-26NOV201130 --format parquet --wait -o btc.parquet',
    'almanac-data export --series GENBTC15M --from 2026-11-01 --to 2026-11-07 --each-day -o data/',
  ],
  run: async (context): Promise<Result> => {
    const { almanac, options } = context;
    const call = { idempotencyKey: options.text('idempotency-key') };
    outputOf(context);
    if (options.flag('each-day'))
      return finishGroup(context, await almanac.exports.createDays(requestOf(context), call));
    return finish(context, await createPaid(context, call));
  },
};

/** A free credit pays only after a question, or with its option. */
const createPaid = async (context: CommandContext, call: { idempotencyKey: string | undefined }): Promise<Export> => {
  const { almanac, options, terminal, signal } = context;
  const request = requestOf(context);
  if (options.flag('use-free-credit')) return almanac.exports.create({ ...request, use_free_credit: true }, call);
  try {
    return await almanac.exports.create(request, call);
  } catch (error) {
    if (!(error instanceof AlmanacError) || error.code !== 'payment_required') throw error;
    const { grant, remarks } = await almanac.exports.quote(request);
    if (grant !== 'free_credit') throw error;
    const question = `${remarks.join(' ')} Spend it? [y/N] `;
    // A program cannot be asked. The error names the option.
    if (!terminal.stdin.isTTY || !terminal.stderr.isTTY) throw error;
    if (!/^y(es)?$/i.test(await prompt(terminal, question, { isSecret: false, signal }))) throw error;
    return almanac.exports.create({ ...request, use_free_credit: true }, call);
  }
};

const exportColumns: readonly Column<ExportListItem | Export>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'TARGET', value: targetOf, isFlexible: true },
  { title: 'FORMAT', value: ({ format }) => format },
  { title: 'ROWS', value: ({ row_count }) => count(row_count), isRight: true },
  { title: 'SIZE', value: (each) => (each.status === 'ready' ? bytes(each.bytes) : null), isRight: true },
  { title: 'CREATED (UTC)', value: ({ created_ts }) => time(created_ts) },
];

const list: CommandSpec = {
  name: 'exports',
  summary: 'List your exports, newest first',
  args: [],
  options: {
    status: {
      value: 'STATUS',
      summary: 'Only with this status',
      choices: ['pending', 'ready', 'failed', 'cancelled'],
    },
    group: { value: 'ID', summary: 'Only of one request with --each-day' },
    ...listOptions,
  },
  examples: ['almanac-data exports', 'almanac-data exports --status pending --json'],
  run: async (context): Promise<Result> => {
    const { almanac, options, answers } = context;
    const params = { status: options.text('status'), group: options.text('group'), limit: options.whole('limit') };
    const { items, remarks } = await readList(context, almanac.exports.list(params), (answer) => answer.exports);
    const lines = tableOf(items, exportColumns, tableStyle(context, 'You have no exports.'));
    return { json: answers(/\/exports$/), items, lines, remarks };
  },
};

const get: CommandSpec = {
  name: 'exports get',
  summary: 'Show an export',
  args: [{ name: 'ID' }],
  options: {},
  examples: ['almanac-data exports get 48dda3c2-1b8a-4b4e-9e0a-563b09253609'],
  run: async (context): Promise<Result> => {
    const [id = ''] = context.args;
    const state = await context.almanac.exports.get(id);
    return { json: context.answers(/\/exports\/[^/]+$/), items: [state], lines: exportFacts(context, state) };
  },
};

const wait: CommandSpec = {
  name: 'exports wait',
  endsItself: true,
  summary: 'Wait until an export is ready',
  args: [{ name: 'ID' }],
  options: {},
  examples: ['almanac-data exports wait 48dda3c2-1b8a-4b4e-9e0a-563b09253609 --deadline 10m'],
  run: async (context): Promise<Result> => {
    const [id = ''] = context.args;
    await waitWithBar(context, id);
    return get.run(context);
  },
};

const download: CommandSpec = {
  name: 'exports download',
  endsItself: true,
  summary: 'Store the file of an export. Waits if it is not ready yet',
  details: ['Without -o, it goes into this folder under its own name.'],
  args: [{ name: 'ID' }],
  options: outputOptions,
  examples: ['almanac-data exports download 48dda3c2-1b8a-4b4e-9e0a-563b09253609 -o data/'],
  run: async (context): Promise<Result> => {
    const [id = ''] = context.args;
    const path = outputOf(context) ?? './';
    const { status } = await context.almanac.exports.get(id, { signal: context.signal });
    if (status === 'pending') await waitWithBar(context, id);
    const saved = await downloadWithBar(context, id, path);
    return {
      json: [JSON.stringify(saved)],
      items: [saved],
      lines: [`Stored ${saved.path} (${bytes(saved.bytes)}). Its SHA-256 is right.`],
    };
  },
};

const cancel: CommandSpec = {
  name: 'exports cancel',
  summary: 'Cancel a pending export, which gives back what it used',
  args: [{ name: 'ID' }],
  options: {},
  examples: ['almanac-data exports cancel 48dda3c2-1b8a-4b4e-9e0a-563b09253609'],
  run: async (context): Promise<Result> => {
    const [id = ''] = context.args;
    const state = await context.almanac.exports.cancel(id);
    return { json: context.answers(/\/exports\/[^/]+$/), items: [state], lines: exportFacts(context, state) };
  },
};

export const exportCommands: readonly CommandSpec[] = [create, list, get, wait, download, cancel];
