import type { Snapshot, Trade } from '@almanac/client/node';
import type { CommandSpec, Result } from '../command.js';
import { UsageError } from '../errors.js';
import { type Column, tableOf } from '../output/table.js';
import { count, time } from '../output/values.js';
import { listOptions, readList, stepMs, stepOption, tableStyle, timeOption } from './reads.js';

const window = {
  from: timeOption('Start of the window. Default: the start of the data'),
  to: timeOption('End of the window. Default: the end of the data'),
};

const snapshotColumns: readonly Column<Snapshot>[] = [
  { title: 'TIME (UTC)', value: ({ ts }) => time(ts) },
  { title: 'YES BID', value: ({ yes_best_bid }) => yes_best_bid, isRight: true },
  { title: 'YES ASK', value: ({ yes_best_ask }) => yes_best_ask, isRight: true },
  { title: 'COIN PRICE', value: ({ coin_price }) => coin_price, isRight: true },
];

const snapshots: CommandSpec = {
  name: 'snapshots',
  summary: 'Print the stored observations of a market',
  details: ['candles draws them, and export stores all of them in a file.'],
  args: [{ name: 'TICKER' }],
  options: {
    ...window,
    step: stepOption('The time between two rows. Default: 1s'),
    raw: { summary: 'Print every stored row, not one for each step' },
    book: { summary: 'Add the order book to each row, in --json and --csv' },
    ...listOptions,
  },
  examples: [
    'almanac-data snapshots TICKER --step 1m --all --csv > prices.csv',
    'almanac-data snapshots TICKER --from 2026-02-25T04:30:00Z --raw --limit 20',
  ],
  run: async (context): Promise<Result> => {
    const { almanac, args, options, answers } = context;
    const [ticker = ''] = args;
    const step = stepMs(options);
    if (step !== undefined && options.flag('raw')) throw new UsageError('--step and --raw exclude each other.');
    const found = almanac.markets.snapshots(ticker, {
      start_ts: options.time('from'),
      end_ts: options.time('to'),
      step_ms: options.flag('raw') ? 0 : step,
      include_book: options.flagOrUndefined('book'),
      limit: options.whole('limit'),
    });
    const read = await readList(context, found, (answer) => answer.snapshots);
    const { items, answers: pages } = read;
    const [first] = pages;
    const isCut = first?.clamped === true && !options.flag('all');
    const cut = `The window was cut: this is ${time(first?.start_ts)} to ${time(first?.end_ts)}. Add --all to read on.`;
    const remarks = isCut ? [cut] : read.remarks;
    const gaps = pages.reduce((sum, page) => sum + page.gaps.length, 0);
    return {
      json: answers(/\/snapshots$/),
      items,
      lines: tableOf(items, snapshotColumns, tableStyle(context, 'There is nothing in this window.')),
      remarks:
        gaps === 0
          ? remarks
          : [...remarks, `The recording has ${count(gaps)} ${gaps === 1 ? 'gap' : 'gaps'} in this window.`],
    };
  },
};

const tradeColumns: readonly Column<Trade>[] = [
  { title: 'TIME (UTC)', value: ({ ts }) => time(ts) },
  { title: 'PRICE', value: ({ price }) => price, isRight: true },
  { title: 'SIZE', value: ({ size }) => count(size), isRight: true },
  { title: 'TAKER', value: ({ taker_side }) => taker_side },
  { title: 'ID', value: ({ trade_id }) => trade_id, isFlexible: true },
];

const trades: CommandSpec = {
  name: 'trades',
  summary: 'Print the trades of a market',
  args: [{ name: 'TICKER' }],
  options: {
    ...window,
    order: { value: 'ORDER', summary: 'Order by time: oldest or newest first', choices: ['asc', 'desc'] },
    ...listOptions,
  },
  examples: [
    'almanac-data trades TICKER --order desc --limit 20',
    'almanac-data trades TICKER --all --csv > trades.csv',
  ],
  run: async (context): Promise<Result> => {
    const { almanac, args, options, answers } = context;
    const [ticker = ''] = args;
    const found = almanac.markets.trades(ticker, {
      start_ts: options.time('from'),
      end_ts: options.time('to'),
      order: options.text('order') as 'asc' | 'desc' | undefined,
      limit: options.whole('limit'),
    });
    const { items, remarks } = await readList(context, found, (answer) => answer.trades);
    const lines = tableOf(items, tradeColumns, tableStyle(context, 'There are no trades in this window.'));
    return { json: answers(/\/trades$/), items, lines, remarks };
  },
};

export const observationCommands: readonly CommandSpec[] = [snapshots, trades];
