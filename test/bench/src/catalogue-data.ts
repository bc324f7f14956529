import type { CatalogueFact } from '@almanac/contracts';
import { type Kind, kinds } from './catalogue-kinds.js';

/** How large the catalogue is. */
export interface CatalogueSize {
  /** The totals of all kinds. A test compares them. */
  readonly seriesN: number;
  readonly eventsN: number;
  readonly marketsN: number;
  /**
   * Each series selects one in this many of its events, at least two; each event one in this many of its markets, at
   * least one.
   */
  readonly oneEventOf: number;
  readonly oneMarketOf: number;
  /** Multiplies the selected events of each series. */
  readonly timesEvents: number;
}

/**
 * Closes cover the two years before 2026-11-01 UTC. Those of each series' last event are in 2036, so these are live.
 */
export const endS = 1_793_491_200;
export const spanS = 2 * 365 * 86_400;
export const liveS = 2_082_758_400;

type FactOf<K extends CatalogueFact['kind']> = Extract<CatalogueFact, { kind: K }>;

export interface SeriesData {
  readonly series: FactOf<'series'>;
  /** Generated while they are read. */
  readonly events: Iterable<EventData>;
}

export interface EventData {
  readonly event: FactOf<'event'>;
  readonly markets: readonly FactOf<'market'>[];
}

/** The generated catalogue, always the same, without random numbers. */
export function* catalogueData(size: CatalogueSize): Generator<SeriesData> {
  let number = 0;
  for (const whole of kinds) {
    const kind = partOf(whole, size);
    for (const subject of kind.subjects) {
      const at = subject.indexOf(' ');
      yield seriesData(kind, { code: subject.slice(0, at), name: subject.slice(at + 1), number });
      number += 1;
    }
  }
}

const partOf = (kind: Kind, { oneEventOf, oneMarketOf, timesEvents }: CatalogueSize): Kind => ({
  ...kind,
  events: timesEvents * Math.max(2, Math.ceil(kind.events / oneEventOf)),
  markets: Math.ceil(kind.markets / oneMarketOf),
});

interface Subject {
  readonly code: string;
  readonly name: string;
  /** The number of the series. */
  readonly number: number;
}

const categoryOf = ({ category }: Kind) => ({
  category: category.toLowerCase().replaceAll(' ', '-'),
  category_label: category,
});

/** A text of a kind with the subject and the time. */
const filled = (text: string, subject: string, when = ''): string => text.replace('@', subject).replace('#', when);

const seriesData = (kind: Kind, subject: Subject): SeriesData => {
  const id = `KX${subject.code}${kind.code}`;
  const events = function* (): Generator<EventData> {
    for (let n = 0; n < kind.events; n += 1) yield eventData(kind, subject, { id, n });
  };
  return {
    series: {
      kind: 'series',
      id,
      label: filled(kind.label, subject.name),
      ...categoryOf(kind),
      shape: kind.shape ?? null,
    },
    events: { [Symbol.iterator]: events },
  };
};

const quarterS = 900;

const eventData = (kind: Kind, subject: Subject, { id, n }: { id: string; n: number }): EventData => {
  const isLive = n === kind.events - 1;
  const everyS = spanS / kind.events;
  const targetCloseS = isLive ? liveS + subject.number * 3_600 : endS - spanS + n * everyS + subject.number * quarterS;
  const closeS = Math.floor(targetCloseS / quarterS) * quarterS;
  const event_ticker = `${id}-${stampOf(closeS)}`;
  const when = whenOf(closeS);
  const named = { series: id, event_ticker, ...categoryOf(kind) };
  const centre = 20 * 1.035 ** subject.number + n;
  const markets = Array.from({ length: kind.markets }, (_, k): FactOf<'market'> => {
    const { suffix, title: text, strike } = kind.market({ k, of: kind.markets, centre });
    const title = filled(text, subject.name, when);
    const outcome = isLive ? null : outcomeOf({ closeS, k, number: n, centre: centre.toFixed(4) });
    return {
      kind: 'market',
      ticker: `${event_ticker}-${suffix}`,
      ...named,
      title,
      capture: 'top',
      ...datedFields({ title, openS: closeS - kind.openForS, closeS, strike }, outcome),
    };
  });
  return { event: { kind: 'event', ...named, title: filled(kind.eventTitle, subject.name, when) }, markets };
};

/** What is known when a market opens. */
type Listing = Readonly<Record<'openS' | 'closeS', number>> & {
  readonly title: string;
  readonly strike: number | undefined;
};

/** The dated fields, and since when they were known: those of the listing with its opening, the outcome with its settlement. */
const datedFields = ({ title, openS, closeS, strike }: Listing, outcome: Outcome | null) => {
  const times = { open_us: openS * 1e6, close_us: closeS * 1e6 };
  const strikes = strike === undefined ? {} : { floor_strike: String(strike) };
  const listed = { title, open_us: String(times.open_us), close_us: String(times.close_us), ...strikes };
  const { knownS, fields } = outcome ?? { knownS: openS, fields: { venue_status: 'active' } };
  const texts = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
  return {
    ...times,
    ...(strike === undefined ? {} : { strike_type: 'greater', ...strikes }),
    ...fields,
    history: [
      { known_us: times.open_us, basis: 'venue' as const, values: listed },
      { known_us: knownS * 1e6, basis: 'venue' as const, values: texts },
    ],
  };
};

interface Outcome {
  readonly knownS: number;
  readonly fields: Pick<FactOf<'market'>, 'venue_status' | 'result' | 'settlement_us' | 'expiration_value'>;
}

/** Results of closed markets. One in 50 events was never settled. */
const outcomeOf = (its: { closeS: number; k: number; number: number; centre: string }): Outcome => {
  const knownS = its.closeS + 300;
  if (its.number % 50 === 49) return { knownS, fields: { venue_status: 'closed' } };
  const result = its.k % 2 === 0 ? 'yes' : 'no';
  const settlement_us = knownS * 1e6 + its.k;
  return { knownS, fields: { venue_status: 'finalized', result, settlement_us, expiration_value: its.centre } };
};

/** `26FEB241730`, in UTC. */
const stampOf = (second: number): string => {
  const { day, month, year, hour, minute } = dateFieldsOf(second);
  return `${year.slice(2)}${month.toUpperCase()}${day}${hour}${minute}`;
};

/** `Feb 24, 2026 at 17:30 UTC`. */
const whenOf = (second: number): string => {
  const { day, month, year, hour, minute } = dateFieldsOf(second);
  return `${month} ${Number(day)}, ${year} at ${hour}:${minute} UTC`;
};

const dateFieldsOf = (second: number) => {
  const text = new Date(second * 1_000).toUTCString();
  const [, day = '', month = '', year = '', hour = '', minute = ''] =
    /(\d\d) (\w{3}) (\d{4}) (\d\d):(\d\d)/.exec(text) ?? [];
  return { day, month, year, hour, minute };
};
