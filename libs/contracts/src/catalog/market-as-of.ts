import type { ReadTime } from '../requests/as-of.js';
import { type Market, type marketFields, marketState, type MarketState, type SeriesState } from './catalog.js';
import { presentMarket } from './present-market.js';
import { type DatedField, historyLimits, type KnownValues, versionsOf } from './market-history.js';

/** What a venue fixes when it lists a market. It is known as soon as the market is, and has no time of its own. */
const listed = ['series', 'event_ticker', 'category', 'category_label', 'venue', 'strike_type'] as const;

const known = (history: readonly KnownValues[], asOfUs: number): MarketState['history'] =>
  history.filter(({ known_us }) => known_us !== null && known_us <= asOfUs);

/**
 * The state of a market as the world could know it at a time: of each field, the version that was known last by then. A
 * value without a knowledge time is withheld. Undefined if nothing of the market was known.
 */
export const marketAsOf = (state: MarketState, asOfUs: number): MarketState | undefined => {
  const history = known(state.history, asOfUs);
  if (history.length === 0) return undefined;
  const text = (field: DatedField): string | null => {
    const versions = versionsOf(history, field);
    // Of too many values the earliest are stored, so the last one may be missing.
    const value = versions.length < historyLimits(field).versions ? versions.at(-1)?.value : undefined;
    return value === undefined || value === '' ? null : value;
  };
  const time = (field: (typeof marketFields.times)[number]): number | null => {
    const value = text(field);
    return value === null ? null : Number(value);
  };
  return {
    ...marketState.parse({ ticker: state.ticker }),
    ...Object.fromEntries(listed.map((name) => [name, state[name]])),
    title: text('title'),
    venue_status: text('venue_status'),
    result: text('result'),
    open_us: time('open_us'),
    close_us: time('close_us'),
    settlement_us: time('settlement_us'),
    floor_strike: text('floor_strike'),
    coin_price_start: text('coin_price_start'),
    expiration_value: text('expiration_value'),
    settlement_value: text('settlement_value'),
    history,
  };
};

/** The series with the fees that were known at a time. */
export const seriesAsOf = (series: SeriesState, asOfUs: number): SeriesState => ({
  ...series,
  fees: series.fees.filter(({ known_us }) => known_us !== null && known_us <= asOfUs),
});

const withheldFields = [
  'title',
  'result',
  'open_ts',
  'close_ts',
  'floor_strike',
  'coin_price_start',
  'coin_price_end',
  'expiration_value',
  'settlement_ts',
  'capture',
] as const satisfies readonly (keyof Market)[];

/** The names of the fields that are null. They say nothing about what became known later. */
export const withheldOf = <Name extends string>(
  answer: Readonly<Partial<Record<Name, unknown>>>,
  names: readonly Name[],
): Name[] => names.filter((name) => answer[name] === null);

/** A market as the API shows it, of a state as of the time of the read. */
export const presentMarketAt = (state: MarketState, shape: string | null, { nowUs, asOfUs }: ReadTime): Market => {
  const shown = presentMarket(state, shape, nowUs);
  return asOfUs === null ? shown : { ...shown, withheld: withheldOf(shown, withheldFields) };
};
