import { ImportError } from '../errors.js';
import type { ColumnTime, Source, SourceFormat } from '../sources/source.js';
import { readTime, type TimeUnit } from '../values/time.js';
import type { Mapping, TimeColumn, TimeSource } from './mapping.js';

/** How the column of a typed file states its times, in addition to what a mapping says about it. */
export interface DeclaredTime {
  readonly declared?: ColumnTime & { readonly stated: TimeUnit | undefined };
}

const single = ['ts', 'venue_ts', 'known_ts', 'fee_from_ts', 'candle_end_ts'] as const;
const lists = ['open_ts', 'close_ts', 'settlement_ts'] as const;

const typedFormats: readonly SourceFormat[] = ['parquet', 'arrow', 'sqlite'];

/** Whether a mapping is for files of a format. Typed files have no format of their own: their columns decide. */
export const isForFormat = (mapping: Pick<Mapping, 'format'>, format: SourceFormat): boolean =>
  mapping.format === undefined || mapping.format === format || typedFormats.includes(format);

interface Timed {
  readonly format?: SourceFormat | undefined;
  readonly fields: {
    readonly [Name in (typeof single)[number]]?: { readonly unit?: unknown } | undefined;
  } & { readonly [Name in (typeof lists)[number]]?: readonly object[] | undefined };
}

/** Times of files without types need a unit. */
export const unitFaults = ({ format, fields }: Timed): readonly { path: readonly string[]; message: string }[] => {
  if (format === undefined || typedFormats.includes(format)) return [];
  const missing = [
    ...single.filter((name) => fields[name] && fields[name].unit === undefined),
    ...lists.filter((name) => fields[name]?.some((source) => 'column' in source && !('unit' in source))),
  ];
  return missing.map((name) => ({ path: ['fields', name, 'unit'], message: 'is missing' }));
};

/**
 * A mapping for one file, whose columns of times know their unit. The unit of the mapping then only counts for times that the
 * column's own unit puts before 1980, because such a unit is wrongly declared.
 */
export const withDeclaredTimes = (
  mapping: Mapping,
  file: string,
  { times }: Pick<Source, 'times'>,
): { readonly mapping: Mapping; readonly warnings: readonly string[] } => {
  const warnings = new Set<string>();
  const declaredOf = (name: string, source: TimeColumn): TimeColumn => {
    const time = (mapping.expand?.prefixes ?? [''])
      .map((prefix) => times?.get(source.column.replaceAll('{prefix}', prefix)))
      .find((found) => found !== undefined);
    if (time === undefined && source.unit === undefined)
      throw new ImportError(
        `${file}: the column ${source.column} is not a column of times, so the field ${name} of the mapping ${mapping.name} needs its unit.`,
      );
    if (time === undefined) return source;
    if (!time.hasZone && source.assume_zone === undefined)
      warnings.add(`the times of the column ${source.column} have no zone and are read as UTC`);
    return { ...source, declared: { ...time, stated: source.unit } };
  };
  const sourceOf = (name: string, source: TimeSource): TimeSource =>
    'column' in source ? declaredOf(name, source) : source;
  const fields = { ...mapping.fields };
  for (const name of single) {
    const source = fields[name];
    if (source) fields[name] = declaredOf(name, source);
  }
  for (const name of lists) fields[name] = fields[name]?.map((source) => sourceOf(name, source));
  return { mapping: { ...mapping, fields }, warnings: [...warnings] };
};

/** A time of a typed column, which is an ISO text in UTC. */
export const readDeclaredTime = (
  text: string,
  { declared, assume_zone: zone }: Pick<TimeColumn, 'assume_zone'> & Required<DeclaredTime>,
): number | null => {
  const local = declared.hasZone || zone === undefined ? text : text.replace(/Z$/, '');
  const us = readTime(local, 'iso', zone);
  if (us !== null || declared.stated === undefined || declared.stated === 'iso') return us;
  const raw = storedNumber(text);
  return raw === null ? null : readTime(raw, declared.stated);
};

/** Why a typed time is refused: the unit of its column is wrong, and another would be right. */
export const declaredFault = (text: string, { unit }: ColumnTime): string | null => {
  const raw = storedNumber(text);
  if (raw === null || /^0*$/.test(raw)) return null;
  const right = rightUnit(text);
  return (
    `not a time from 1980 to 2100 in ${unit}, the unit of its column` +
    (right === undefined ? '' : `. It is one in ${right}: state unit: ${right} in the mapping`)
  );
};

/** The unit in which a typed time that lies outside of the years would be right. */
export const rightUnit = (text: string): Exclude<TimeUnit, 'iso'> | undefined => {
  const raw = storedNumber(text);
  return raw === null ? undefined : (['s', 'ms', 'us', 'ns'] as const).find((unit) => readTime(raw, unit) !== null);
};

/** The number that a column stores for a time, from its text: `1970-01-01T00:20:34.567Z` is 1234567. */
const storedNumber = (text: string): string | null => {
  const [, toSecond = '', fraction = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?Z$/.exec(text) ?? [];
  const seconds = Date.parse(`${toSecond}Z`) / 1_000;
  return seconds >= 0 ? `${seconds}${fraction}`.replace(/^0+(?=\d)/, '') : /^\d+$/.test(text) ? text : null;
};
