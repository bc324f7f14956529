import type { MarketQuality, PeriodQuality } from '@almanac/client/node';
import type { CommandContext, CommandSpec, Result } from '../command.js';
import { UsageError } from '../errors.js';
import { type Column, tableOf } from '../output/table.js';
import { count, duration, time } from '../output/values.js';
import { listOptions, readList, tableStyle } from './reads.js';

const percent = (share: number | null): string | null => (share === null ? null : `${(share * 100).toFixed(2)}%`);

const shared: readonly Column<MarketQuality | PeriodQuality>[] = [
  { title: 'COVERED', value: ({ covered_share }) => percent(covered_share), isRight: true },
  { title: 'GAPS', value: ({ gaps_n }) => count(gaps_n), isRight: true },
  { title: 'MISSING', value: ({ gap_s }) => (gap_s === 0 ? null : duration(gap_s)), isRight: true },
  { title: 'ROWS', value: ({ rows }) => count(rows), isRight: true },
  { title: 'TRADES', value: ({ trades }) => count(trades), isRight: true },
];

const marketColumns: readonly Column<MarketQuality>[] = [
  { title: 'TICKER', value: ({ ticker }) => ticker, isFlexible: true },
  ...shared,
  { title: 'BOOKS', value: ({ book_quality }) => book_quality },
  { title: 'FIRST GAP (UTC)', value: ({ gaps }) => time(gaps[0]?.start_ts) },
];

const periodColumns: readonly Column<PeriodQuality>[] = [
  { title: 'START (UTC)', value: ({ start_ts }) => time(start_ts) },
  { title: 'MARKETS', value: ({ markets_n }) => count(markets_n), isRight: true },
  { title: 'WITH GAPS', value: ({ markets_with_gaps_n }) => count(markets_with_gaps_n), isRight: true },
  ...shared,
];

const quality: CommandSpec = {
  name: 'quality',
  summary: 'Find what is missing: the coverage of markets, worst first',
  details: ['Of one series, event, category or venue. Without days, it is yesterday (UTC). --json has every gap.'],
  args: [],
  options: {
    series: { value: 'ID', summary: 'Markets of this series' },
    event: { value: 'TICKER', summary: 'Markets of this event' },
    category: { value: 'ID', summary: 'Markets in this category' },
    venue: { value: 'ID', summary: 'Markets of this venue' },
    from: { value: 'DAY', summary: 'The first UTC day. Default: the last one, or yesterday' },
    to: { value: 'DAY', summary: 'The last UTC day. Default: the first one, or yesterday' },
    by: { value: 'WHAT', summary: 'What a row is about. Default: market', choices: ['market', 'day', 'hour'] },
    sort: { value: 'ORDER', summary: 'The worst or the earliest first. Default: worst', choices: ['worst', 'time'] },
    'has-gaps': { summary: 'Only with gaps' },
    'no-gaps': { summary: 'Only without a known gap' },
    ...listOptions,
  },
  examples: [
    'almanac-data quality --series GENBTC15M --has-gaps',
    'almanac-data quality --series GENBTC15M --from 2026-11-20 --by hour --csv',
  ],
  run: (context): Promise<Result> => {
    const { options } = context;
    const params = {
      series: options.text('series'),
      event: options.text('event'),
      category: options.text('category'),
      venue: options.text('venue'),
      from: options.text('from'),
      to: options.text('to'),
      sort: options.text('sort') as 'worst' | 'time' | undefined,
      has_gaps: options.choice('has-gaps', 'no-gaps'),
      limit: options.whole('limit'),
    };
    const { series, event, category, venue } = params;
    if ([series, event, category, venue].filter((id) => id !== undefined).length !== 1) {
      throw new UsageError('Give one of --series, --event, --category and --venue.');
    }
    const by = options.text('by') as 'market' | 'day' | 'hour' | undefined;
    return by === 'day' || by === 'hour' ? byPeriod(context, { ...params, by }) : byMarket(context, params);
  },
};

type Params = Parameters<CommandContext['almanac']['quality']>[0];
type PeriodParams = Parameters<CommandContext['almanac']['qualityByPeriod']>[0];

const byMarket = async (context: CommandContext, params: Params): Promise<Result> => {
  const read = await readList(context, context.almanac.quality(params), ({ markets }) => markets);
  const { items, answers, remarks } = read;
  const { markets_n = 0, markets_with_gaps_n = 0 } = answers[0] ?? {};
  return {
    json: context.answers(/\/quality$/),
    items: items.map(({ gaps: _gaps, ...flat }) => flat),
    lines: tableOf(items, marketColumns, tableStyle(context, 'No market matches.')),
    remarks: [
      markets_n === 0
        ? 'Without --from and --to, quality is about yesterday (UTC).'
        : `Markets with gaps: ${count(markets_with_gaps_n)} of ${count(markets_n)}.`,
      ...remarks,
    ],
  };
};

const byPeriod = async (context: CommandContext, params: PeriodParams): Promise<Result> => {
  const read = await readList(context, context.almanac.qualityByPeriod(params), ({ periods }) => periods);
  return {
    json: context.answers(/\/quality$/),
    items: read.items,
    lines: tableOf(read.items, periodColumns, tableStyle(context, 'No day or hour matches.')),
    remarks: read.remarks,
  };
};

export const qualityCommands: readonly CommandSpec[] = [quality];
