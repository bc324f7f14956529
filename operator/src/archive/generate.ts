import {
  type CatalogueFact,
  type DatedField,
  everyChangeUs,
  type KnownValues,
  type RecordedSpan,
} from '@almanac/contracts';
import { rollingSeries, strikeLadder } from './coin-markets.js';
import { coinPath } from './coin.js';
import { rateEvent } from './rate-event.js';
import type { GeneratedPart, Hole } from './part.js';
import type { GeneratedRow } from './row.js';
import { dayS, hourS, quarterS } from './times.js';

export interface GeneratedArchive extends Omit<GeneratedPart, 'hole'> {
  /** Rows at multiples of so many seconds come with a trade. Default none. */
  readonly tradesEveryS?: number;
  /** Markets without a span have a recording of unknown completeness. */
  readonly spans?: readonly RecordedSpan[];
}

type MarketFact = Extract<CatalogueFact, { kind: 'market' }>;

/**
 * A small demo archive, dated around `nowS` (Unix seconds) and identical within a quarter of an hour: a rolling
 * 15-minute coin series with full books, of the last six hours and of yesterday evening (UTC), an hourly strike ladder,
 * and one event with four outcomes of which one happens. One market of yesterday has a hole. Its titles say that it is
 * generated.
 */
export const generateArchive = (nowS: number): GeneratedArchive => {
  const quarter = Math.floor(nowS / quarterS) * quarterS;
  const midnight = Math.floor(nowS / dayS) * dayS;
  const coin = coinPath(quarter - 25 * hourS, { beginS: quarter - 31 * hourS, endS: quarter + 2 * hourS });
  const parts: readonly GeneratedPart[] = [
    rollingSeries({ quarter, midnight, nowS }, coin),
    strikeLadder({ quarter, nowS }, coin),
    rateEvent(quarter, nowS),
  ];
  const facts = parts.flatMap((part) => part.facts).map((fact) => (fact.kind === 'market' ? dated(fact) : fact));
  const holes = new Map(parts.flatMap(({ hole }) => (hole === undefined ? [] : [[hole.ticker, hole]])));
  return {
    facts,
    rows: recorded(parts, holes),
    tradesEveryS: 20,
    spans: facts.flatMap((fact) => (fact.kind === 'market' ? spansOf(fact, nowS, holes.get(fact.ticker)) : [])),
  };
};

/** A market of no real venue. Its values are known from its open, and those of the settlement from then. */
const dated = (market: MarketFact): MarketFact => {
  const valuesOf = (names: readonly (DatedField & keyof MarketFact)[]): KnownValues['values'] =>
    Object.fromEntries(names.flatMap((name) => (market[name] == null ? [] : [[name, String(market[name])]])));
  const knownAt = (us: number | null | undefined, values: KnownValues['values']): KnownValues[] =>
    us == null || Object.keys(values).length === 0 ? [] : [{ known_us: us, basis: 'venue', values }];
  return {
    ...market,
    venue: 'generated',
    history: [
      ...knownAt(market.open_us, valuesOf(['title', 'open_us', 'close_us', 'floor_strike', 'coin_price_start'])),
      ...knownAt(market.settlement_us, valuesOf(['result', 'settlement_us', 'expiration_value'])),
    ],
  };
};

/**
 * A generated recording is complete from the open to the close, or to now, except in a hole. It has every change of its
 * books: there are no others.
 */
const spansOf = (market: MarketFact, nowS: number, hole: Hole | undefined): readonly RecordedSpan[] => {
  const { ticker, capture, open_us, close_us } = market;
  if (open_us == null || close_us == null) return [];
  const isOver = close_us <= nowS * 1e6;
  const common = { ticker, tolerance_us: 0, clock: null } as const;
  const span: Omit<RecordedSpan, 'start_us' | 'end_us' | 'end_reason'> =
    capture === 'l2'
      ? { ...common, layer: 'l2', sample_us: everyChangeUs, basis: 'snapshot' }
      : { ...common, layer: 'top', sample_us: null, basis: null };
  const end = { end_us: isOver ? close_us : nowS * 1e6, end_reason: isOver ? null : 'the recording ended' };
  if (hole === undefined) return [{ ...span, start_us: open_us, ...end }];
  return [
    { ...span, start_us: open_us, end_us: hole.startS * 1e6, end_reason: 'messages are missing in the sequence' },
    { ...span, start_us: hole.endS * 1e6, ...end },
  ];
};

function* recorded(parts: readonly GeneratedPart[], holes: ReadonlyMap<string, Hole>): Generator<GeneratedRow> {
  for (const { rows } of parts) {
    for (const row of rows) {
      const hole = holes.get(row.ticker);
      if (hole === undefined || row.second < hole.startS || row.second >= hole.endS) yield row;
    }
  }
}
