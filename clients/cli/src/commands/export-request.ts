import type { ExportRequest } from '@almanac/client/node';
import type { CommandContext, OptionSpec } from '../command.js';

const formats = ['csv', 'parquet', 'json', 'jsonl.gz', 'hftbacktest', 'tardis_csv'] as const;
export const syncFormats = ['parquet', 'csv', 'json', 'jsonl.gz'] as const;
export const streams = ['snapshots', 'settlement', 'l2', 'trades', 'sizes', 'candles'] as const;

export const streamsOption: OptionSpec = {
  value: 'LIST',
  summary: 'What the rows contain. Default: snapshots,settlement',
  choices: streams,
  isList: true,
};

/** What to export, and how. */
export const requestOptions = {
  event: { value: 'TICKER', summary: 'All markets of an event, or of several events', isList: true },
  ticker: { value: 'TICKER', summary: 'A market, or several markets', isList: true },
  series: { value: 'ID', summary: 'A series, with --day or with --from and --to' },
  day: { value: 'DAY', summary: 'A UTC day such as 2026-02-25' },
  from: { value: 'DAY', summary: 'The first UTC day of a range' },
  to: { value: 'DAY', summary: 'The last UTC day of a range' },
  dataset: { value: 'ID', summary: 'A dataset: the same bytes as the cited file (ds-…)' },
  format: { value: 'FORMAT', summary: 'The format of the file. Default: csv', choices: formats },
  streams: streamsOption,
  numbers: { value: 'HOW', summary: 'How to write prices and sizes in Parquet', choices: ['decimal', 'float'] },
  'csv-formulas': {
    value: 'HOW',
    summary: 'How to write cells that a spreadsheet would run as formulas',
    choices: ['keep', 'escape'],
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;

const oneOrMore = (names: readonly [one: string, more: string], values: readonly string[] | undefined): object => {
  if (values === undefined) return {};
  return values.length === 1 ? { [names[0]]: values[0] } : { [names[1]]: values };
};

/** The server says what is wrong with the combination. */
export const requestOf = ({ options }: CommandContext): ExportRequest => {
  const texts = [
    'series',
    'day',
    'from',
    'to',
    'dataset',
    'format',
    'numbers',
    ['csv-formulas', 'csv_formulas'],
  ] as const;
  const given = texts.flatMap((each): [string, string][] => {
    const [option, field] = typeof each === 'string' ? [each, each] : each;
    const value = options.text(option);
    return value === undefined ? [] : [[field, value]];
  });
  const listed = options.list('streams');
  return {
    ...oneOrMore(['event', 'events'], options.list('event')),
    ...oneOrMore(['ticker', 'tickers'], options.list('ticker')),
    ...Object.fromEntries(given),
    ...(listed === undefined ? {} : { streams: listed as ExportRequest['streams'] }),
  } as ExportRequest;
};
