import type { Book, Candle } from '@almanac/client/node';
import type { CommandContext, CommandSpec, Result } from '../command.js';
import { UsageError } from '../errors.js';
import { barOf, chartOf } from '../output/chart.js';
import { type Column, factsOf, tableOf } from '../output/table.js';
import { count, counted, duration, time } from '../output/values.js';
import { painterOf } from '../terminal.js';
import { tableStyle, timeOption } from './reads.js';

const pointsDefault = 60;
const chartHeight = 12;
const chartWidthMax = 120;

const candles: CommandSpec = {
  name: 'candles',
  summary: 'Draw the candles of a market',
  details: ['The midpoint of the best bid and ask. Gaps in the recording are dots on the lowest line.'],
  args: [{ name: 'TICKER' }],
  options: {
    from: timeOption('Start of the window. Default: the start of the data'),
    to: timeOption('End of the window. Default: the close'),
    period: { value: 'DURATION', summary: 'Length of a candle, such as 60s, 1m or 1h' },
    points: { value: 'N', summary: `Maximum number of candles in the window. Default: ${pointsDefault}` },
    fill: { value: 'HOW', summary: 'How to fill a period without observations', choices: ['none', 'previous'] },
  },
  examples: ['almanac-data candles TICKER', 'almanac-data candles TICKER --period 1m --csv > candles.csv'],
  run: async (context): Promise<Result> => {
    const { almanac, args, options, answers } = context;
    const [ticker = ''] = args;
    const [period, points] = [options.seconds('period'), options.whole('points')];
    if (period !== undefined && points !== undefined) throw new UsageError('--period and --points exclude each other.');
    const pages = almanac.markets.candles(ticker, {
      start_ts: options.time('from'),
      end_ts: options.time('to'),
      period_s: period,
      points: period === undefined ? (points ?? pointsDefault) : undefined,
      fill: options.text('fill') as 'none' | 'previous' | undefined,
    });
    const items: Candle[] = [];
    let [gaps, periodS] = [0, 0];
    let notice: string | null = null;
    for await (const page of pages.pages()) {
      items.push(...page.candles);
      gaps = Math.max(gaps, page.gaps.length);
      periodS = page.period_s;
      notice ??= page.notice ?? null;
    }
    return {
      json: answers(/\/candles$/),
      items,
      lines: candleLines(context, { ticker, items, gaps, periodS }),
      remarks: notice === null ? [] : [notice],
    };
  },
};

interface Drawn {
  readonly ticker: string;
  readonly items: readonly Candle[];
  readonly gaps: number;
  readonly periodS: number;
}

const candleLines = ({ terminal }: CommandContext, { ticker, items, gaps, periodS }: Drawn): string[] => {
  const paint = painterOf(terminal, terminal.stdout);
  const columns = terminal.stdout.isTTY ? terminal.stdout.columns || 80 : 80;
  const bars = items.flatMap((item) => barOf(item) ?? []);
  const venue = items.filter(({ source }) => source === 'venue').length;
  const interest = items.flatMap(({ open_interest }) => open_interest ?? []).at(-1);
  const volume = items.reduce((sum, each) => sum + (each.volume ?? 0), 0);
  const gapS = items.reduce((sum, { gap_s }) => sum + gap_s, 0);
  return [
    paint('bold', `${ticker}  ${counted(items.length, 'candle')} of ${duration(periodS)}`),
    '',
    ...chartOf(items, { width: Math.min(chartWidthMax, columns), height: chartHeight, paint }),
    '',
    ...factsOf(
      [
        ['open', bars[0]?.open],
        ['high', bars.length === 0 ? null : Math.max(...bars.map(({ high }) => high))],
        ['low', bars.length === 0 ? null : Math.min(...bars.map(({ low }) => low))],
        ['close', bars.at(-1)?.close],
        ['volume', counted(volume, 'contract')],
        ...(venue === 0 ? [] : [['venue', `${count(venue)} of the candles are the venue's own`] as const]),
        ...(typeof interest === 'number' ? [['open interest', counted(interest, 'contract')] as const] : []),
        ['gaps', gaps === 0 ? 'none' : `${count(gaps)}, ${duration(gapS)} without data`],
      ],
      paint,
    ),
  ];
};

interface LevelRow {
  readonly side: 'yes' | 'no';
  readonly level: number;
  readonly price: number;
  readonly size: number;
}

const levelsOf = (book: Book): LevelRow[] =>
  (['yes', 'no'] as const).flatMap((side) =>
    (book[`orderbook_${side}`] ?? []).map(([price, size], at) => ({ side, level: at + 1, price, size })),
  );

interface BookLine {
  readonly yes: LevelRow | undefined;
  readonly no: LevelRow | undefined;
}

const bookColumns: readonly Column<BookLine>[] = [
  { title: 'YES SIZE', value: ({ yes }) => (yes === undefined ? ' ' : count(yes.size)), isRight: true },
  { title: 'YES BID', value: ({ yes }) => yes?.price ?? ' ', isRight: true },
  { title: 'NO BID', value: ({ no }) => no?.price ?? ' ', isRight: true },
  { title: 'NO SIZE', value: ({ no }) => (no === undefined ? ' ' : count(no.size)), isRight: true },
];

const book: CommandSpec = {
  name: 'book',
  summary: 'Show the order book of a market at a time',
  args: [{ name: 'TICKER' }],
  options: {
    at: timeOption('The last book at or before this time. Default: now'),
    depth: { value: 'N', summary: 'Number of levels on each side' },
  },
  examples: ['almanac-data book TICKER', 'almanac-data book TICKER --at 2026-02-25T04:30:00Z --depth 5'],
  run: async (context): Promise<Result> => {
    const { almanac, args, options, answers } = context;
    const [ticker = ''] = args;
    const found = await almanac.markets.book(ticker, { at_ts: options.time('at'), depth: options.whole('depth') });
    const remarks = found.in_gap ? ['The recording has a gap at this time, so the book may have changed.'] : [];
    return {
      json: answers(/\/book$/),
      items: levelsOf(found).map((row) => ({ ticker: found.ticker, ts: found.ts, ...row })),
      lines: bookLines(context, found),
      remarks: found.notice === null ? remarks : [...remarks, found.notice],
    };
  },
};

const basisTexts: Readonly<Record<string, string>> = {
  every_change: 'every change was recorded',
  sampled: 'sampled, so it may have changed since',
  snapshot: 'a snapshot, so it may have changed since',
};

const bookLines = (context: CommandContext, found: Book): string[] => {
  const rows = levelsOf(found);
  const [yes, no] = [rows.filter(({ side }) => side === 'yes'), rows.filter(({ side }) => side === 'no')];
  const lines = Array.from({ length: Math.max(yes.length, no.length) }, (_, at) => ({ yes: yes[at], no: no[at] }));
  const style = tableStyle(context, found.include_book ? 'There is no book at this time.' : 'There are no levels.');
  return [
    ...factsOf(
      [
        ['market', found.ticker],
        ['at', time(found.at_ts)],
        ['stored', found.ts === null ? null : `${time(found.ts)}, ${duration((found.age_ms ?? 0) / 1_000)} before`],
        ['basis', found.basis === null ? null : (basisTexts[found.basis] ?? found.basis)],
      ],
      style.paint,
    ),
    '',
    ...tableOf(lines, bookColumns, style),
  ];
};

export const marketDataCommands: readonly CommandSpec[] = [candles, book];
