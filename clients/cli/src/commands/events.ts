import type { EventSnapshots } from '@almanac/client/node';
import type { CommandContext, CommandSpec, Result } from '../command.js';
import { factsOf, tableOf } from '../output/table.js';
import { count, time } from '../output/values.js';
import { marketColumns } from './catalogue.js';
import { listOptions, readList, stepMs, stepOption, tableStyle, timeOption } from './reads.js';

const get: CommandSpec = {
  name: 'event',
  summary: 'Show an event with its markets',
  args: [{ name: 'EVENT' }],
  options: listOptions,
  examples: ['almanac-data event GENBTC15M-26NOV201130', 'almanac-data event EVENT --all --csv > markets.csv'],
  run: async (context): Promise<Result> => {
    const { almanac, args, options, answers } = context;
    const [event = ''] = args;
    const found = almanac.events.markets(event, { limit: options.whole('limit') });
    const { items, answers: pages, remarks } = await readList(context, found, ({ markets }) => markets);
    const style = tableStyle(context, 'The event has no markets.');
    const lines = [...eventFacts(context, pages[0]?.event), '', ...tableOf(items, marketColumns, style)];
    return { json: answers(/\/events\/[^/]+$/), items, lines, remarks };
  },
};

type Event = Awaited<ReturnType<CommandContext['almanac']['events']['get']>>['event'];

const eventFacts = (context: CommandContext, event: Event | undefined): string[] => {
  const facts: (readonly [string, unknown])[] = [
    ['event', event?.event_ticker],
    ['title', event?.title],
    ['series', event?.series],
    ['status', event?.status],
    ['markets', `${count(event?.markets_n)}, ${count(event?.live_n)} live`],
    ['opens', time(event?.open_ts)],
    ['closes', time(event?.close_ts)],
  ];
  return factsOf(facts, tableStyle(context, '').paint);
};

interface PriceRow {
  readonly ts: number | undefined;
  readonly ticker: string;
  readonly yes_best_bid: number | null | undefined;
  readonly yes_best_ask: number | null | undefined;
  readonly age_ms: number | null | undefined;
}

/** A row for each time and market. The API has a column for each market. */
const rowsOf = ({ ts, markets }: EventSnapshots): PriceRow[] =>
  ts.flatMap((second, at) =>
    markets.map(({ ticker, yes_best_bid, yes_best_ask, age_ms }) => ({
      ts: second,
      ticker,
      yes_best_bid: yes_best_bid[at],
      yes_best_ask: yes_best_ask[at],
      age_ms: age_ms[at],
    })),
  );

const snapshots: CommandSpec = {
  name: 'event snapshots',
  summary: 'Print the best prices of all markets of an event on one clock',
  details: ['Without bounds, from the open of the event to its close, or to now.'],
  args: [{ name: 'EVENT' }],
  options: {
    from: timeOption('Start of the window'),
    to: timeOption('End of the window'),
    step: stepOption('The time between two rows. Default: 1s'),
    fill: { value: 'HOW', summary: 'How to fill a time without an observation', choices: ['none', 'previous'] },
    ...listOptions,
  },
  examples: ['almanac-data event snapshots GENBTC15M-26NOV201130 --step 1m --all --csv > event.csv'],
  run: async (context): Promise<Result> => {
    const { almanac, args, options, answers } = context;
    const [event = ''] = args;
    const found = almanac.events.snapshots(event, {
      start_ts: options.time('from'),
      end_ts: options.time('to'),
      step_ms: stepMs(options),
      fill: options.text('fill') as 'none' | 'previous' | undefined,
      limit: options.whole('limit'),
    });
    const { items, remarks } = await readList(context, found, (answer) => [answer]);
    const rows = items.flatMap(rowsOf);
    const lines = tableOf(
      rows,
      [
        { title: 'TIME (UTC)', value: ({ ts }) => time(ts) },
        { title: 'TICKER', value: ({ ticker }) => ticker },
        { title: 'YES BID', value: ({ yes_best_bid }) => yes_best_bid, isRight: true },
        { title: 'YES ASK', value: ({ yes_best_ask }) => yes_best_ask, isRight: true },
      ],
      tableStyle(context, 'There is nothing in this window.'),
    );
    const cut = remarks.length === 0 ? [] : ['There are more markets or times. Add --all to read on.'];
    return { json: answers(/\/events\/[^/]+\/snapshots$/), items: rows, lines, remarks: cut };
  },
};

export const eventCommands: readonly CommandSpec[] = [get, snapshots];
