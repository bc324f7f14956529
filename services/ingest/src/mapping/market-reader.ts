import { type FeedIds, marketFields, tickSizeText } from '@almanac/contracts';
import type { NamedAltered, OnAltered } from '../values/altered.js';
import type { MarketFact } from '../model/market-fact.js';
import { rulesText, type StatedTerms, withKnowledge } from '../model/knowledge.js';
import type { DecimalSource, MappingFields, TimeSource } from './mapping.js';
import { decimalReader, firstOf, Flaw, textReader, timeReader, type CellOf, type Reader } from './readers.js';

type Writable = { -readonly [Name in keyof MarketFact]: MarketFact[Name] };

/** The market of a row, and the fields that could not be read, such as `floor_strike: missing`. */
export interface ReadMarket {
  readonly fact: MarketFact;
  readonly dropped: readonly string[];
  /** Why the row is refused because of them. */
  readonly refusal: string | null;
  /** Values stored with fewer digits than the row has, such as `floor_strike: rounded to 8 decimals`. */
  readonly altered: readonly NamedAltered[];
  readonly seriesLabel: string | null;
}

export interface MarketReader {
  /** Whether the source has a close. Then a row without it is refused. */
  readonly knowsClose: boolean;
  readonly read: (row: { cells: readonly string[]; ticker: string; rowUs: number | null }) => ReadMarket;
}

export const marketReader = (fields: MappingFields, cellFor: (field: string) => CellOf): MarketReader => {
  const textReaders = marketFields.texts.flatMap((name) => namedReader(name, fields[name], textReader));
  let altered: NamedAltered[] = [];
  const onAltered =
    (name: string): OnAltered =>
    (change) =>
      void altered.push({ ...change, name });
  const decimalReaders = marketFields.decimals.flatMap((name) =>
    namedReader(name, fields[name], (source: DecimalSource, cellOf: CellOf) =>
      decimalReader(source, cellOf, onAltered(name)),
    ),
  );
  const seriesLabel = namedReader('series_label', fields.series_label, textReader);
  const times = timesReader(fields, { named: namedReader, onAltered });
  const capture = namedReader('capture', fields.capture, textReader);
  const feedIds = feedNames.flatMap(({ name, of }) =>
    namedReader(name, fields[name], textReader).map(({ read }) => ({ name, of, read })),
  );
  const termsOf = termsReader(fields, { named: namedReader, onAltered });

  function namedReader<Name extends string, Source, T>(
    name: Name,
    sources: readonly Source[] | undefined,
    readerOf: (source: Source, cellOf: CellOf) => Reader<T>,
  ): readonly { name: Name; read: Reader<T> }[] {
    return sources ? [{ name, read: firstOf(sources.map((source) => readerOf(source, cellFor(name)))) }] : [];
  }

  return {
    knowsClose: fields.close_ts !== undefined,
    read: (row) => {
      const fact: Writable = { kind: 'market', ticker: row.ticker };
      const dropped: string[] = [];
      let refusal: string | null = null;
      altered = [];
      const take = <T>(name: string, value: T | null | Flaw, put: (value: T) => void): void => {
        if (value instanceof Flaw) {
          const reason = `${name}: ${value.reason}`;
          dropped.push(reason);
          if (value.refusesRow) refusal ??= reason;
        } else if (value === null) dropped.push(`${name}: missing`);
        else put(value);
      };
      times.read(row, fact, take);
      const full = { ...row, closeUs: fact.close_us ?? null };
      for (const { name, read } of textReaders) take(name, read(full), (value) => (fact[name] = value));
      for (const { name, read } of decimalReaders) take(name, read(full), (value) => (fact[name] = value));
      for (const { name, read } of capture) take(name, captureOf(read(full)), (value) => (fact.capture = value));
      for (const { name, of, read } of feedIds)
        take(name, read(full), (id) => (fact.feed_ids = { ...(fact.feed_ids ?? noFeedIds), [of]: id }));
      const label = seriesLabel[0]?.read(full) ?? null;
      const dated = isDated(fields) ? withKnowledge(fact, ...termsOf(full, { take, dropped })) : fact;
      return { fact: dated, dropped, refusal, altered, seriesLabel: label instanceof Flaw ? null : label };
    },
  };
};

const feedNames = [
  { name: 'condition', of: 'condition' },
  { name: 'yes_token', of: 'yes' },
  { name: 'no_token', of: 'no' },
] as const;
const noFeedIds: FeedIds = { condition: null, yes: null, no: null };

/** A row that is a market has knowledge times. One with its own time is an observation, a trade or a candle. */
const isDated = (fields: MappingFields): boolean =>
  fields.ts === undefined && fields.trade_id === undefined && fields.candle_end_ts === undefined;

/** The receipt of a row, and the terms that only the history of a market has. */
const termsReader = (
  fields: MappingFields,
  { named, onAltered }: { named: Named; onAltered: (name: string) => OnAltered },
) => {
  const known = named('known_ts', fields.known_ts && [fields.known_ts], (source: TimeSource, cellOf: CellOf) =>
    timeReader(source, cellOf, onAltered('known_ts')),
  );
  const rules = named('rules', fields.rules, textReader);
  const tickSize = named('tick_size', fields.tick_size, (source: DecimalSource, cellOf: CellOf) =>
    decimalReader(source, cellOf, onAltered('tick_size')),
  );
  return (
    row: Parameters<Reader<string>>[0],
    { take, dropped }: { take: Take; dropped: string[] },
  ): [{ receivedUs: number | null; createdUs: null }, StatedTerms] => {
    const times: { receivedUs: number | null; createdUs: null } = { receivedUs: null, createdUs: null };
    const terms: { rules?: string | null; tick_size?: string } = {};
    for (const { name, read } of known) take(name, read(row), (us) => (times.receivedUs = us));
    for (const { name, read } of rules) take(name, read(row), (text) => (terms.rules = rulesText([text], dropped)));
    for (const { name, read } of tickSize)
      take(name, read(row), (step) => (terms.tick_size = tickSizeText([['0', '1', step]])));
    return [times, terms];
  };
};

type Named = <Name extends string, Source, T>(
  name: Name,
  sources: readonly Source[] | undefined,
  readerOf: (source: Source, cellOf: CellOf) => Reader<T>,
) => readonly { name: Name; read: Reader<T> }[];
type Take = <T>(name: string, value: T | null | Flaw, put: (value: T) => void) => void;

/** The close is read first, because the open may be a duration before it. */
const timesReader = (
  fields: MappingFields,
  { named, onAltered }: { named: Named; onAltered: (name: string) => OnAltered },
) => {
  const timesOf = <Name extends 'open_ts' | 'close_ts' | 'settlement_ts'>(name: Name) =>
    named(name, fields[name], (source: TimeSource, cellOf: CellOf) => timeReader(source, cellOf, onAltered(name)));
  const close = timesOf('close_ts');
  const open = timesOf('open_ts');
  const settlement = timesOf('settlement_ts');
  return {
    read: (row: { cells: readonly string[]; ticker: string; rowUs: number | null }, fact: Writable, take: Take) => {
      for (const { name, read } of close)
        take(name, read({ ...row, closeUs: null }), (value) => (fact.close_us = value));
      const full = { ...row, closeUs: fact.close_us ?? null };
      for (const { name, read } of open) {
        const value = read(full);
        const turned = typeof value === 'number' && full.closeUs !== null && value >= full.closeUs;
        take(name, turned ? new Flaw('not before close_ts') : value, (us) => (fact.open_us = us));
      }
      for (const { name, read } of settlement) take(name, read(full), (value) => (fact.settlement_us = value));
    },
  };
};

const captureOf = (value: string | null | Flaw): 'top' | 'l2' | null | Flaw =>
  value === null || value instanceof Flaw || value === 'top' || value === 'l2' ? value : new Flaw('must be top or l2');
