import { timeUnitOf, type TimeUnit } from '../../values/time.js';
import type { FileReport } from '../../intake/report.js';

type Refusals = Pick<FileReport, 'refused' | 'refusedValues'>;

/** The one most likely remedy for a file whose rows were refused: that of the most frequent reason. */
export const remedyOf = (report: Refusals): string | null => {
  const reason = mostFrequent(report);
  return reason === null ? null : (remedyFor(reason, report.refusedValues.get(reason) ?? '') ?? reason);
};

/** The remedy for a file of which some rows were stored. A price of 1 cent is one that can be read as a dollar. */
export const partRemedyOf = (report: Refusals): string | null => {
  const reason = mostFrequent(report);
  const remedy = reason === null ? null : remedyFor(reason, report.refusedValues.get(reason) ?? '');
  if (remedy?.endsWith('cents') === true) return `${remedy}, and import it again. Its other rows were read as dollars`;
  // Another unit would refuse the rows that were stored.
  return remedy?.replace(/: set unit: \w+$/, ', unlike other rows: split the file by unit') ?? null;
};

const mostFrequent = ({ refused }: Refusals): string | null =>
  Array.from(refused).toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? null;

const remedyFor = (reason: string, value: string): string | null => {
  if (reason.endsWith('not a price from 0 to 1') && isLikeCents(value))
    return `${pricesOf(reason)} look like cents: add unit: cents`;
  if (reason.endsWith('not a price from 0 to 1') && /^-?\d*,\d+$/.test(value))
    return `${pricesOf(reason)} have a comma, such as ${value}: write the file with points`;
  if (reason.endsWith('not a price from 0 to 1') && /^[$€£]|[%¢]$/.test(value))
    return `${pricesOf(reason)} have a sign, such as ${value}: write the file with plain numbers`;
  if (reason.includes('assume_zone'))
    return 'the times have no zone: add assume_zone: UTC, or the zone of the recorder';
  const [, field] = /^(?:(\w+): )?not a (?:whole )?time|^the time is not/.exec(reason) ?? [];
  const unit = reason.includes('time') ? timeUnitOf(value, 'UTC') : null;
  if (unit !== null) return `${field ?? 'ts'} looks like ${unitNames[unit]}: set unit: ${unit}`;
  return remedies.find(({ of }) => of.test(reason))?.remedy ?? null;
};

const isLikeCents = (value: string): boolean => Number(value) > 1 && Number(value) <= 100;

const pricesOf = (reason: string): string => {
  if (reason.includes('bid')) return 'bids';
  return reason.includes('ask') ? 'asks' : 'prices';
};

const unitNames: Readonly<Record<TimeUnit, string>> = {
  s: 'seconds',
  ms: 'milliseconds',
  us: 'microseconds',
  ns: 'nanoseconds',
  iso: 'an ISO time',
};

const remedies: readonly { readonly of: RegExp; readonly remedy: string }[] = [
  {
    of: /belongs to no known market/,
    remedy: "the tokens belong to no known market: import the venue's market objects",
  },
  { of: /block has no time/, remedy: 'the blocks have no times: import the folder of blocks with these trades' },
  {
    of: /comes before the snapshot/,
    remedy: 'the recording has no snapshot of these markets: import the part before it, too',
  },
  {
    of: /^no market in/,
    remedy: 'name the file after its market, such as KXHIGHNY-26APR01-B72.5_candles.csv, or describe it with --mapping',
  },
  {
    of: /^no period/,
    remedy: 'import a file with more of the candles, or state the period with --mapping in the field candle_period',
  },
  { of: /^no unit of prices/, remedy: 'state the unit with --mapping' },
  { of: /^no ticker/, remedy: 'no row has a ticker: name its column in the field ticker' },
  { of: /^no time|^no receive time/, remedy: 'no row has a time: name its column in the field ts' },
  { of: /number of columns differs/, remedy: 'the rows have another number of columns than the header' },
];
