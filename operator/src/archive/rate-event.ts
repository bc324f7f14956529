import type { CatalogueFact } from '@almanac/contracts';
import type { GeneratedPart } from './part.js';
import { randomFrom, seedOf } from './random.js';
import type { GeneratedRow } from './row.js';
import { hourS } from './times.js';

const economics = { category: 'economics', category_label: 'Economics' };
const series = 'GENRATE';
const event = 'GENRATE-NEXT';

/** The prices add up to 100 cents, because exactly one of them happens. */
const outcomes = [
  { ticker: `${event}-HOLD`, title: 'Generated: the Fed holds its rate at the next meeting', cents: 62 },
  { ticker: `${event}-CUT25`, title: 'Generated: the Fed cuts its rate by a quarter point', cents: 29 },
  { ticker: `${event}-CUT50`, title: 'Generated: the Fed cuts its rate by half a point or more', cents: 5 },
  { ticker: `${event}-HIKE`, title: 'Generated: the Fed raises its rate', cents: 4 },
];

const everyS = 60;
/** How often a cent moves from one outcome to another: some cents in a day. */
const moveChance = 0.1;
const [leastCents, mostCents] = [2, 97];

/** The next decision of a central bank: four outcomes of which one happens, open for a day, without books. */
export const rateEvent = (quarter: number, nowS: number): GeneratedPart => {
  const openS = quarter - 24 * hourS;
  const closeS = quarter + 30 * 24 * hourS;
  const times = { open_us: openS * 1e6, close_us: closeS * 1e6 };
  const markets = outcomes.map(({ ticker, title }): CatalogueFact => {
    return { kind: 'market', ticker, series, event_ticker: event, title, ...economics, capture: 'top', ...times };
  });
  const title = 'Generated: Fed rate decision, the next meeting of the central bank';
  const facts: CatalogueFact[] = [
    { kind: 'series', id: series, label: 'Generated: Fed rate decisions (central bank)', ...economics },
    { kind: 'event', event_ticker: event, series, category: economics.category, title },
    ...markets,
  ];
  return { facts, rows: outcomeRows(openS, nowS) };
};

function* outcomeRows(openS: number, nowS: number): Generator<GeneratedRow> {
  const prices = centsOfAll(Math.max(0, Math.ceil((nowS - openS) / everyS)));
  for (const [index, { ticker }] of outcomes.entries()) {
    for (const [minute, cents] of prices.entries()) {
      const mid = cents[index] ?? 0;
      const second = openS + minute * everyS;
      yield { ticker, series, second, bidCents: mid - 1, askCents: mid + 1, coinPrice: null, sizes: null };
    }
  }
}

/** The price of each outcome, minute by minute. A cent that one loses is a cent that another one gains. */
const centsOfAll = (minutes: number): readonly (readonly number[])[] => {
  const random = randomFrom(seedOf(event));
  let cents = outcomes.map((outcome) => outcome.cents);
  return Array.from({ length: minutes }, () => {
    const moves = random() < moveChance;
    const [from, to] = [Math.floor(random() * cents.length), Math.floor(random() * cents.length)];
    const canMove = from !== to && (cents[from] ?? 0) > leastCents && (cents[to] ?? mostCents) < mostCents;
    if (moves && canMove) {
      cents = cents.map((price, index) => price + (index === to ? 1 : 0) - (index === from ? 1 : 0));
    }
    return cents;
  });
};
