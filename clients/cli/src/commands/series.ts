import type { EventItem, SeriesItem } from '@almanac/client/node';
import type { CommandSpec, Result } from '../command.js';
import { type Column, factsOf, tableOf } from '../output/table.js';
import { count, time } from '../output/values.js';
import { marketColumns, statusOption } from './catalogue.js';
import { listOptions, readList, tableStyle, timeOption } from './reads.js';

const seriesColumns: readonly Column<SeriesItem>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'LABEL', value: ({ label }) => label, isFlexible: true },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'EVENTS', value: ({ events_n }) => count(events_n), isRight: true },
  { title: 'MARKETS', value: ({ markets_n }) => count(markets_n), isRight: true },
  { title: 'NEXT CLOSE (UTC)', value: ({ next_close_ts }) => time(next_close_ts) },
];

const eventColumns: readonly Column<EventItem>[] = [
  { title: 'EVENT', value: ({ event_ticker }) => event_ticker },
  { title: 'TITLE', value: ({ title }) => title, isFlexible: true },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'MARKETS', value: ({ markets_n }) => count(markets_n), isRight: true },
  { title: 'CLOSES (UTC)', value: ({ close_ts }) => time(close_ts) },
];

const filters = {
  status: statusOption,
  from: timeOption('Only what closes at or after this time'),
  to: timeOption('Only what closes at or before this time'),
  ...listOptions,
} as const;

const list: CommandSpec = {
  name: 'series',
  summary: 'List series, live ones first',
  args: [],
  options: { category: { value: 'ID', summary: 'Only in this category' }, ...filters },
  examples: ['almanac-data series', 'almanac-data series --category crypto --status live --all'],
  run: async (context): Promise<Result> => {
    const { almanac, options, answers } = context;
    const found = almanac.series.list({
      category: options.text('category'),
      status: options.text('status'),
      from_ts: options.time('from'),
      to_ts: options.time('to'),
      limit: options.whole('limit'),
    });
    const { items, remarks } = await readList(context, found, (answer) => answer.series);
    const lines = tableOf(items, seriesColumns, tableStyle(context, 'No series matches.'));
    return { json: answers(/\/series$/), items, lines, remarks };
  },
};

const get: CommandSpec = {
  name: 'series get',
  summary: 'Show a series with its newest markets',
  args: [{ name: 'ID' }],
  options: {},
  examples: ['almanac-data series get GENBTC15M'],
  run: async (context): Promise<Result> => {
    const [id = ''] = context.args;
    const { series, markets, has_more } = await context.almanac.series.get(id);
    const style = tableStyle(context, 'The series has no markets.');
    const facts: (readonly [string, unknown])[] = [
      ['id', series.id],
      ['label', series.label],
      ['category', series.category_label],
      ['status', series.status],
      ['events', count(series.events_n)],
      ['markets', `${count(series.markets_n)}, ${count(series.live_n)} live`],
      ['next close', time(series.next_close_ts)],
    ];
    const lines = [...factsOf(facts, style.paint), '', ...tableOf(markets, marketColumns, style)];
    const more = `These are the newest ${markets.length}. All of them: almanac-data series markets ${id} --all`;
    return { json: context.answers(/\/series\/[^/]+$/), items: [series], lines, remarks: has_more ? [more] : [] };
  },
};

const markets: CommandSpec = {
  name: 'series markets',
  summary: 'List the markets of a series',
  args: [{ name: 'ID' }],
  options: filters,
  examples: ['almanac-data series markets GENBTC15M --status finalized --all --csv'],
  run: async (context): Promise<Result> => {
    const { almanac, args, options, answers } = context;
    const [id = ''] = args;
    const found = almanac.series.markets(id, {
      status: options.text('status'),
      from_ts: options.time('from'),
      to_ts: options.time('to'),
      limit: options.whole('limit'),
    });
    const { items, remarks } = await readList(context, found, (answer) => answer.markets);
    const lines = tableOf(items, marketColumns, tableStyle(context, 'No market matches.'));
    return { json: answers(/\/series\/[^/]+$/), items, lines, remarks };
  },
};

const events: CommandSpec = {
  name: 'series events',
  summary: 'List the events of a series. A rolling series lists none',
  args: [{ name: 'ID' }],
  options: filters,
  examples: ['almanac-data series events GENBTCH --limit 20'],
  run: async (context): Promise<Result> => {
    const { almanac, args, options, answers } = context;
    const [id = ''] = args;
    const found = almanac.series.events(id, {
      status: options.text('status'),
      from_ts: options.time('from'),
      to_ts: options.time('to'),
      limit: options.whole('limit'),
    });
    const {
      items,
      answers: answered,
      remarks,
    } = await readList(
      context,
      found,
      (answer) => answer.events ?? [],
      ({ events_has_more = false }) => events_has_more,
    );
    const lines = tableOf(items, eventColumns, tableStyle(context, 'No event matches.'));
    const rolling = `A rolling series lists its markets: almanac-data series markets ${id}`;
    const none = answered[0]?.series.shape === 'rolling' ? [rolling] : [];
    return { json: answers(/\/series\/[^/]+$/), items, lines, remarks: [...remarks, ...none] };
  },
};

export const seriesCommands: readonly CommandSpec[] = [list, get, markets, events];
