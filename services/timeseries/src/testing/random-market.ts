import { randomUUID } from 'node:crypto';
import type { Callers, Observation, TimeseriesFixture } from './fixture.js';
import { pick, type Random } from './random.js';

const second = 1_000_000;
export const openUs = 1_771_992_900 * second;
/** Long enough for several periods of a minute. */
const lengthUs = 600 * second;

/** A market with rows at random times, of which a random part of the time is a gap. */
export interface RandomMarket {
  readonly ticker: string;
  readonly event: string;
  readonly rows: readonly Observation[];
  /** The recording is complete outside of these times, between open and close. */
  readonly gaps: readonly (readonly [number, number])[];
  readonly closeUs: number;
  readonly settlementUs: number | null;
}

/** Rows also before the open, in gaps, after the close, at the same second, and without a bid, an ask or a coin price. */
const randomRows = (random: Random, count: number): Observation[] => {
  const times = new Set<number>();
  while (times.size < count) {
    const us = pick(random, openUs - 60 * second, openUs + lengthUs + 60 * second);
    times.add(random() < 0.3 ? Math.floor(us / second) * second : us);
  }
  return [...times]
    .toSorted((a, b) => a - b)
    .map((us, index) => {
      const bid = pick(random, 0, 99);
      return {
        us,
        seq: index,
        bid: random() < 0.1 ? null : (bid / 100).toString(),
        ask: random() < 0.1 ? null : ((bid + 1) / 100).toString(),
        price: random() < 0.2 ? null : (60_000 + pick(random, 0, 9_999) / 100).toString(),
        book: { yes: `[(${bid / 100},${index + 1}),(0.001,5)]`, no: `[(${(99 - bid) / 100},7)]` },
      };
    });
};

const randomGaps = (random: Random, closeUs: number): (readonly [number, number])[] => {
  const bounds = Array.from({ length: 2 * pick(random, 0, 4) }, () => pick(random, openUs + 1, closeUs));
  const sorted = [...new Set(bounds)].toSorted((a, b) => a - b);
  return sorted.flatMap((startUs, at) => {
    const endUs = sorted[at + 1];
    return at % 2 === 0 && endUs !== undefined ? [[startUs, endUs] as const] : [];
  });
};

export const randomMarket = async (
  { fixture, callers }: { fixture: TimeseriesFixture; callers: Callers },
  random: Random,
  event = `E-${randomUUID()}`,
): Promise<RandomMarket> => {
  const ticker = `M-${randomUUID()}`;
  const closeUs = openUs + pick(random, lengthUs / 2, lengthUs);
  const settlementUs = random() < 0.5 ? null : closeUs + pick(random, -60 * second, 60 * second);
  const rows = randomRows(random, pick(random, 1, 300));
  const gaps = randomGaps(random, closeUs);
  await fixture.market({
    ticker,
    series: 'S',
    event_ticker: event,
    open_us: openUs,
    close_us: closeUs,
    settlement_us: settlementUs,
    result: 'yes',
  });
  await callers.store(ticker, rows);
  await callers.spans(ticker, [
    ...gaps.map(([startUs], at) => [gaps[at - 1]?.[1] ?? openUs, startUs] as const),
    [gaps.at(-1)?.[1] ?? openUs, closeUs],
  ]);
  return { ticker, event, rows, gaps, closeUs, settlementUs };
};

/** The last row at or before a time, unless a gap follows it. Independent of the service. */
export const lastKnown = ({ rows, gaps }: RandomMarket, atUs: number): Observation | undefined => {
  const row = rows.findLast(({ us }) => us <= atUs);
  const isLost = row !== undefined && gaps.some(([startUs, endUs]) => startUs < atUs && endUs > row.us);
  return isLost ? undefined : row;
};

export const valueOf = (text: string | null | undefined): number | null =>
  text === null || text === undefined ? null : Number(text);
