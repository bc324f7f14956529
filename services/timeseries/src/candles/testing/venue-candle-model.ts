import type { GivenVenueCandle } from '../../testing/store-venue-candles.js';

const second = 1_000_000;
const parts = ['open', 'high', 'low', 'close'] as const;

/** Minutes of a market. Some are left out where nothing changed, some are lost, and some have no trade. */
export const randomVenueCandles = (
  random: () => number,
  startUs: number,
  minutes: number,
): readonly GivenVenueCandle[] => {
  const cents = (value: number): string => String(value / 100);
  let [bid, last, interest] = [30 + Math.floor(random() * 40), 40, 100];
  const found: GivenVenueCandle[] = [];
  for (let minute = 0; minute < minutes; minute += 1) {
    if (random() < 0.05) continue;
    // A lost minute had a move that no later candle shows.
    if (random() < 0.03) bid += random() < 0.5 ? 1 : -1;
    const openBid = bid;
    bid += Math.floor(random() * 3) - 1;
    const isTraded = random() < 0.7;
    const price = openBid + 1;
    const volume = isTraded ? 1 + Math.floor(random() * 9) : 0;
    interest += Math.floor(random() * (volume + 1));
    const range = (name: string, open: number, close: number) => ({
      [`${name}_open`]: cents(open),
      [`${name}_high`]: cents(Math.max(open, close) + 1),
      [`${name}_low`]: cents(Math.min(open, close) - 1),
      [`${name}_close`]: cents(close),
    });
    found.push({
      periodS: 60,
      startUs: startUs + minute * 60 * second,
      prices: {
        ...range('yes_bid', openBid, bid),
        ...range('yes_ask', openBid + 2, bid + 2),
        ...(isTraded && { ...range('price', price, price), price_mean: cents(price) }),
        price_previous: cents(last),
      },
      volume: String(volume),
      openInterest: String(interest),
    });
    if (isTraded) last = price;
  }
  return found;
};

interface Window {
  readonly startUs: number;
  readonly endUs: number;
  readonly periodUs: number;
}

interface Known {
  /** -1 if it is unknown. */
  readonly openUs: number;
  readonly endUs: number;
  readonly isOurs: (startUs: number) => boolean;
}

const numberOf = (text: string | null | undefined): number | null =>
  text === null || text === undefined ? null : Number(text);

const endOf = ({ startUs, periodS }: GivenVenueCandle): number => startUs + periodS * second;

/** Whether nothing happened between two candles. */
const continues = (before: GivenVenueCandle | undefined, next: GivenVenueCandle | undefined): boolean => {
  if (before === undefined || next === undefined) return false;
  const [was, is] = [before.prices ?? {}, next.prices ?? {}];
  const moved = Math.abs(Number(next.openInterest) - Number(before.openInterest));
  return (
    endOf(before) === next.startUs ||
    (was.yes_bid_close === is.yes_bid_open &&
      was.yes_ask_close === is.yes_ask_open &&
      (was.price_close ?? was.price_previous) === is.price_previous &&
      moved <= Number(next.volume))
  );
};

/** What the answer has for each period that is whole and not ours, computed candle by candle. */
export const expectedVenueCandles = (given: readonly GivenVenueCandle[], window: Window, known: Known) => {
  const traded = given.filter(({ startUs }) => startUs < known.endUs);
  const periods = Map.groupBy(traded, ({ startUs }) => Math.floor(startUs / window.periodUs) * window.periodUs);
  return Array.from(periods).flatMap(([startUs, found]) => {
    const [first, last] = [found[0], found.at(-1)];
    if (first === undefined || last === undefined || startUs < window.startUs || endOf(last) > window.endUs) return [];
    const before = traded[traded.indexOf(first) - 1];
    const begins =
      first.startUs === startUs || continues(before, first) || (before === undefined && known.openUs >= first.startUs);
    const untilUs = startUs + window.periodUs;
    const ends =
      endOf(last) === untilUs || continues(last, traded[traded.indexOf(last) + 1]) || known.endUs <= endOf(last);
    const isUnbroken = found.every((one, at) => at === 0 || continues(found[at - 1], one));
    if (!begins || !ends || !isUnbroken || known.isOurs(startUs)) return [];
    const valuesOf = (name: string): readonly (number | null)[] =>
      found.map(({ prices = {} }) => numberOf(new Map(Object.entries(prices)).get(name)));
    const present = (name: string): readonly number[] => valuesOf(name).filter((value) => value !== null);
    const rangeOf = (quote: string) => ({
      open: present(`${quote}_open`)[0] ?? null,
      high: present(`${quote}_high`).length === 0 ? null : Math.max(...present(`${quote}_high`)),
      low: present(`${quote}_low`).length === 0 ? null : Math.min(...present(`${quote}_low`)),
      close: present(`${quote}_close`).at(-1) ?? null,
    });
    const nothing = Object.fromEntries(parts.map((part) => [part, null]));
    const means = present('price_mean');
    return [
      {
        start_ts: startUs / second,
        end_ts: untilUs / second,
        yes_bid: rangeOf('yes_bid'),
        yes_ask: rangeOf('yes_ask'),
        mid: nothing,
        coin_price: nothing,
        price: {
          ...rangeOf('price'),
          mean: means.length === 1 ? (means[0] ?? null) : null,
          previous: valuesOf('price_previous')[0] ?? null,
        },
        volume: found.reduce((sum, { volume }) => sum + Number(volume), 0),
        trades: null,
        observations: 0,
        source: 'venue',
        venue: 'kalshi',
        venue_period_s: 60,
        open_interest: numberOf(last.openInterest),
      },
    ];
  });
};
