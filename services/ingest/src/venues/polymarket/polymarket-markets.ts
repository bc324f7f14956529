import { type CatalogueFact, type SeriesFee, tickSizeText } from '@almanac/contracts';
import type { MarketFact } from '../../model/market-fact.js';
import { storedDecimal } from '../../values/stored-values.js';
import type { OnAltered } from '../../values/altered.js';
import { type Category, categoryOf } from '../../values/category.js';
import { receiptKnowledge, rulesText, withKnowledge } from '../../model/knowledge.js';
import { readTime } from '../../values/time.js';
import { titleOf } from '../../values/title.js';
import type { CatalogueFormat, ReadFacts } from '../catalogue-format.js';
import type { OutcomeIds } from '../../sources/known-outcomes.js';
import { listOf, objectsIn, recordFields, type RecordFields, textOf } from '../../sources/record-fields.js';
import { isObject, type JsonObject } from '../../sources/source.js';

/** Market objects of Polymarket's gamma API, plain or under `raw` of a recorder that knows the strike. */
export const polymarketMarkets: CatalogueFormat = {
  name: 'polymarket-markets',
  entityKind: 'markets',
  is: (record) => isGamma(record) || isGamma(record['raw']),
  read: (record, _known, receivedUs) => {
    const { raw } = record;
    const [market, around] = isObject(raw) && isGamma(raw) ? [raw, record] : [record, {}];
    const event = objectsIn(market['events'])[0] ?? null;
    return factsOfGamma(market, { around, event, includesEvent: true, receivedUs });
  },
};

const isGamma = (value: unknown): boolean =>
  isObject(value) && ['slug', 'conditionId', 'outcomes'].every((key) => typeof value[key] === 'string');

export interface GammaMarket {
  /** What a recorder wrote next to the market. */
  readonly around: JsonObject;
  /** The market's event, if gamma includes it. */
  readonly event: JsonObject | null;
  /** False if the caller already has the facts of the event. */
  readonly includesEvent: boolean;
  /** When the source received the market. Null: unknown. */
  readonly receivedUs: number | null;
}

/** The facts of a market, after its series and event. Its ticker is the slug, which is unique and readable. */
export const factsOfGamma = (market: JsonObject, given: GammaMarket): ReadFacts => {
  const { around, event, includesEvent } = given;
  const fields = recordFields(market);
  const ticker = fields.text('slug') ?? '';
  const rolling = rollingSlug.exec(ticker);
  const series = rolling?.[1] ?? seriesOf(event);
  // A single market is an event of the same slug. A market of a group does not show its event.
  const eventTicker = textOf(event?.['slug']) ?? (fields.text('groupItemTitle') === null ? ticker : null);
  const category = gammaCategory(fields.text('category') ?? textOf(event?.['category']), fields.text('feeType'));
  const title = titleOf(fields.text('question'), fields.text('groupItemTitle'));
  const fact: MarketFact = {
    kind: 'market',
    ticker,
    event_ticker: eventTicker,
    series,
    title,
    ...category,
    venue_status: statusOf(market),
    ...outcome(market, around, fields),
    ...timesOf(fields, around),
    ...strikeOf(around, fields),
  };
  const facts: CatalogueFact[] = [];
  const label = seriesLabel(event, { title, span: rolling?.[2] ?? null });
  if (includesEvent && series !== null) {
    facts.push({ kind: 'series', id: series, label, ...category, ...gammaFees(market, given.receivedUs) });
  }
  if (includesEvent && eventTicker !== null) {
    const eventTitle = textOf(event?.['title']) ?? title;
    facts.push({ kind: 'event', event_ticker: eventTicker, title: eventTitle, series, ...category });
  }
  const dated = datedFact(fact, { market, given, fields });
  const { condition, yes, no } = outcomeIdsOf(ticker, market);
  const named = condition === null && yes === null ? dated : { ...dated, feed_ids: { condition, yes, no } };
  return { facts: [...facts, named], dropped: fields.dropped, altered: fields.altered };
};

/** YES is the first of two tokens, like the first outcome. Other numbers of tokens have no YES. */
export const outcomeIdsOf = (ticker: string, market: JsonObject): OutcomeIds => {
  const condition = textOf(market['conditionId']) || null;
  const ids = (listOf(market['clobTokenIds']) ?? []).flatMap((id) => textOf(id) || []);
  const [yes, no, ...others] = ids;
  const hasTwo = yes !== undefined && no !== undefined && others.length === 0;
  return { ticker, condition, yes: hasTwo ? yes : null, no: hasTwo ? no : null };
};

/** The description of a market has its rules. */
const datedFact = (
  fact: MarketFact,
  { market, given, fields }: { market: JsonObject; given: GammaMarket; fields: RecordFields },
): MarketFact => {
  const step = storedDecimal(fields.text('orderPriceMinTickSize') ?? '');
  const terms = {
    rules: rulesText([textOf(market['description'])], fields.dropped),
    tick_size: step === null ? null : tickSizeText([['0', '1', step]]),
  };
  const createdUs = readTime(fields.text('createdAt') ?? '', 'iso');
  const statedUs = readTime(fields.text('updatedAt') ?? '', 'iso');
  // A market that trades has no result, so it takes an earlier one back.
  const withoutValue = fact.venue_status === 'active' ? (['result', 'settlement_us', 'settlement_value'] as const) : [];
  return withKnowledge(fact, { receivedUs: given.receivedUs, createdUs, statedUs, withoutValue }, terms);
};

/** `btc-updown-5m-1780876500`: series, span, opening second. All dumps have this slug, few the venue's series name. */
const rollingSlug = /^(.+-updown-(\d+[mh]))-\d{10}$/;

export const seriesOf = (event: JsonObject | null): string | null =>
  textOf(objectsIn(event?.['series'])[0]?.['slug']) ?? textOf(event?.['seriesSlug']);

/** The venue's title of the series, or the start of its questions ("Bitcoin Up or Down - June 7, …") and 5m. */
export const seriesLabel = (
  event: JsonObject | null,
  { title, span }: { title: string | null; span: string | null },
): string | null => {
  const seriesTitle = textOf(objectsIn(event?.['series'])[0]?.['title']);
  const begins = title?.split(' - ', 1)[0];
  return seriesTitle ?? (span === null || begins === undefined ? null : `${begins} ${span}`);
};

/** Newer objects have no category, but a fee type that names one: `crypto_fees_v2`. */
export const gammaCategory = (label: string | null, feeType: string | null): Category | null => {
  const fees = /^([a-z]+)_fees/.exec(feeType ?? '')?.[1];
  return categoryOf(label) ?? categoryOf(fees === undefined ? null : fees.charAt(0).toUpperCase() + fees.slice(1));
};

/**
 * The fee of a market as the fee of its series, with the rate of its schedule as the factor. A later object may state a
 * fee that has changed since the creation, so only a receipt dates it. A market without a fee states none.
 */
export const gammaFees = (
  market: JsonObject | undefined,
  receivedUs: number | null,
): { readonly fees?: SeriesFee[] } => {
  const type = textOf(market?.['feeType']);
  if (market?.['feesEnabled'] !== true || type === null) return {};
  const schedule = market['feeSchedule'];
  const multiplier = storedDecimal((isObject(schedule) ? textOf(schedule['rate']) : null) ?? '');
  return { fees: [{ type, multiplier, valid_from_us: null, ...receiptKnowledge(receivedUs) }] };
};

const isResolved = (market: JsonObject, around: JsonObject): boolean =>
  around['resolved'] === true || textOf(market['umaResolutionStatus']) === 'resolved';

/** The venue has flags instead of a status. */
const statusOf = (market: JsonObject): string | null => {
  if (market['closed'] === true) return textOf(market['umaResolutionStatus']) === 'resolved' ? 'resolved' : 'closed';
  if (market['active'] === true) return 'active';
  return market['closed'] === false ? 'inactive' : null;
};

/** YES is the first outcome, whatever its name: Yes, Up, a team. It is decided when one has the full value. */
const outcome = (market: JsonObject, around: JsonObject, { dropped, time }: RecordFields): Partial<MarketFact> => {
  if (!isResolved(market, around)) return {};
  const settled = { settlement_us: time('closedTime', 'settlement_ts') };
  const prices = listOf(market['outcomePrices']) ?? listOf(around['outcome_prices']) ?? [];
  const [yes, no, ...others] = prices.map((price) => storedDecimal(textOf(price) ?? ''));
  const paysOne = others.length === 0 && Math.round((Number(yes) + Number(no)) * 1e6) === 1e6;
  const paid = paysOne && yes ? { ...settled, settlement_value: yes } : settled;
  if (paysOne && yes === '1') return { ...paid, result: 'yes' };
  if (paysOne && yes === '0') return { ...paid, result: 'no' };
  dropped.push('result: no outcome of two is worth all');
  return paid;
};

/** A market's window begins at `eventStartTime`, if present. Trading starts up to a day earlier. */
const timesOf = ({ time }: RecordFields, around: JsonObject): Partial<MarketFact> => ({
  open_us: time('eventStartTime', 'open_ts') ?? secondsIn(around['start_sec']) ?? time('startDate', 'open_ts'),
  close_us: time('endDate', 'close_ts') ?? secondsIn(around['end_sec']),
});

const secondsIn = (value: unknown): number | null => readTime(textOf(value) ?? '', 's');

/** The price at the start, with the 18 decimals of the feed. The market is YES if the final price is not below it. */
const strikeOf = (around: JsonObject, { dropped, altered }: RecordFields): Partial<MarketFact> => {
  const given = textOf(around['strike_value']);
  if (given === null) return {};
  const onAltered: OnAltered = (change) => void altered.push({ ...change, name: 'floor_strike' });
  const strike = /^\d+$/.test(given) ? storedDecimal(given, { pointLeft: 18, onAltered }) : null;
  if (strike === null) {
    dropped.push('floor_strike: not a whole number of 18 decimals');
    return {};
  }
  return { floor_strike: strike, strike_type: 'greater_or_equal', coin_price_start: strike };
};
