import type { Market, SearchHit } from '@almanac/client/node';
import type { CommandContext, CommandSpec, Result } from '../command.js';
import { type Column, factsOf, tableOf } from '../output/table.js';
import { count, counted, time } from '../output/values.js';
import { painterOf } from '../terminal.js';
import { listOptions, readList, tableStyle, timeOption } from './reads.js';

export const statusOption = {
  value: 'STATUS',
  summary: 'Only with this status',
  choices: ['live', 'closed', 'finalized'],
} as const;

const hitColumns: readonly Column<SearchHit>[] = [
  { title: 'KIND', value: ({ kind }) => kind },
  { title: 'ID', value: ({ id }) => id },
  { title: 'TITLE', value: ({ title }) => title, isFlexible: true },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'CLOSES (UTC)', value: ({ close_ts }) => time(close_ts) },
];

const search: CommandSpec = {
  name: 'search',
  summary: 'Find series, events and markets',
  details: ['Words in any order, beginnings of words, and ids in any case.'],
  args: [{ name: 'WORDS', repeats: true }],
  options: {
    category: { value: 'ID', summary: 'Only in this category' },
    status: statusOption,
    from: timeOption('Only what closes at or after this time'),
    to: timeOption('Only what closes at or before this time'),
    ...listOptions,
  },
  examples: ['almanac-data search central bank', 'almanac-data search btc15m --status live --limit 5'],
  run: async (context): Promise<Result> => {
    const { almanac, args, options, answers } = context;
    const hits = almanac.search(args.join(' '), {
      category: options.text('category'),
      status: options.text('status'),
      from_ts: options.time('from'),
      to_ts: options.time('to'),
      limit: options.whole('limit'),
    });
    const { items, answers: pages, remarks } = await readList(context, hits, (answer) => answer.hits);
    const corrected = pages[0]?.corrected_query;
    return {
      json: answers(/\/search$/),
      items,
      lines: tableOf(items, hitColumns, tableStyle(context, 'Nothing matches.')),
      remarks: [
        ...(corrected === undefined
          ? []
          : [`Nothing matches ${args.join(' ')}. These are the results for ${corrected}.`]),
        ...remarks,
      ],
    };
  },
};

const categories: CommandSpec = {
  name: 'categories',
  summary: 'List the categories of the archive',
  args: [],
  options: {},
  examples: ['almanac-data categories'],
  run: async (context): Promise<Result> => {
    const { categories: items } = await context.almanac.categories.list();
    const lines = tableOf(
      items,
      [
        { title: 'ID', value: ({ id }) => id },
        { title: 'LABEL', value: ({ label }) => label, isFlexible: true },
        { title: 'SERIES', value: ({ series_n }) => count(series_n), isRight: true },
        { title: 'EVENTS', value: ({ events_n }) => count(events_n), isRight: true },
        { title: 'MARKETS', value: ({ markets_n }) => count(markets_n), isRight: true },
        { title: 'LIVE', value: ({ live_n }) => count(live_n), isRight: true },
      ],
      tableStyle(context, 'The archive is empty.'),
    );
    return { json: context.answers(/\/categories$/), items, lines };
  },
};

export const marketColumns: readonly Column<Market>[] = [
  { title: 'TICKER', value: ({ ticker }) => ticker },
  { title: 'TITLE', value: ({ title }) => title, isFlexible: true },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'RESULT', value: ({ result }) => result },
  { title: 'CLOSES (UTC)', value: ({ close_ts }) => time(close_ts) },
];

const markets: CommandSpec = {
  name: 'markets',
  summary: 'List markets by close time, newest first',
  args: [],
  options: {
    series: { value: 'ID', summary: 'Only of this series' },
    event: { value: 'TICKER', summary: 'Only of this event' },
    status: statusOption,
    category: { value: 'ID', summary: 'Only in this category' },
    days: { value: 'N', summary: 'Only of the last N days of data' },
    from: timeOption('Only what closes at or after this time'),
    to: timeOption('Only what closes at or before this time'),
    'has-gaps': { summary: 'Only with a gap in the recording from open to close' },
    'no-gaps': { summary: 'Only without a known gap' },
    'covered-min': { value: 'SHARE', summary: 'Only recorded for this share of the time or more: 0.99 or 99%' },
    'changed-since': timeOption('Only what has changed in the archive since this time, oldest change first'),
    ...listOptions,
  },
  examples: ['almanac-data markets --series GENBTC15M --status finalized', 'almanac-data markets --days 1 --all --csv'],
  run: async (context): Promise<Result> => {
    const { almanac, options, answers } = context;
    const since = options.time('changed-since');
    const params = {
      series: options.text('series'),
      event: options.text('event'),
      status: options.text('status'),
      category: options.text('category'),
      days: options.whole('days'),
      from_ts: options.time('from'),
      to_ts: options.time('to'),
      has_gaps: options.choice('has-gaps', 'no-gaps'),
      covered_min: options.share('covered-min'),
      limit: options.whole('limit'),
    };
    const found = since === undefined ? almanac.markets.list(params) : almanac.markets.changesSince(since, params);
    const { items, answers: pages, remarks } = await readList(context, found, (answer) => answer.markets);
    const last = pages.at(-1);
    const isCut = !options.flag('all') && last?.defaulted === true && last.has_older;
    return {
      json: answers(/\/markets$/),
      items,
      lines: tableOf(items, marketColumns, tableStyle(context, 'No market matches.')),
      remarks: isCut
        ? [...remarks, `Markets that closed before ${time(last.from_ts)} are not listed. Add --all, --days or --from.`]
        : remarks,
    };
  },
};

const market: CommandSpec = {
  name: 'market',
  summary: 'Show a market with its settlement and rules',
  args: [{ name: 'TICKER' }],
  options: {},
  examples: ['almanac-data market GENBTC15M-26NOV201130-30', 'almanac-data market TICKER --as-of 2026-02-25T04:30:00Z'],
  run: async (context): Promise<Result> => {
    const { almanac, args, answers } = context;
    const [ticker = ''] = args;
    const detail = await almanac.markets.get(ticker);
    return { json: answers(/\/markets\/[^/]+$/), items: [detail.market], lines: marketLines(context, detail) };
  },
};

const marketLines = (
  { terminal }: CommandContext,
  {
    market: found,
    settlement_value,
    volume,
    trades_n,
    tick_size,
    rules,
  }: Awaited<ReturnType<CommandContext['almanac']['markets']['get']>>,
): string[] => {
  const facts: (readonly [string, unknown])[] = [
    ['ticker', found.ticker],
    ['title', found.title],
    ['event', found.event_ticker],
    ['series', found.series],
    ['status', found.status],
    ['result', found.result],
    ['strike', strikeOf(found)],
    ['opens', time(found.open_ts)],
    ['closes', time(found.close_ts)],
    ['settled', time(found.settlement_ts)],
    ['expiration value', found.expiration_value],
    ['settlement value', settlement_value],
    ['volume', volume === null ? null : `${counted(volume, 'contract')} in ${counted(trades_n, 'trade')}`],
    ['tick size', tick_size?.value],
    ['rules', rules?.text],
  ];
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== '–');
  return factsOf(known, painterOf(terminal, terminal.stdout));
};

const strikeOf = ({ strike_type, floor_strike }: Market): string | null =>
  floor_strike === null || floor_strike === undefined
    ? null
    : `${strikeWords[strike_type ?? ''] ?? strike_type ?? ''} ${floor_strike}`.trim();

/** A venue can have other types, which are shown as they are. */
const strikeWords: Readonly<Record<string, string>> = {
  greater: 'above',
  greater_or_equal: 'at or above',
  less: 'below',
  less_or_equal: 'at or below',
};

export const catalogueCommands: readonly CommandSpec[] = [search, categories, markets, market];
