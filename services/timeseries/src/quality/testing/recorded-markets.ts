import { contradictions, type RecordedSpan, timeseriesRpc } from '@almanac/contracts';
import type { Observation } from '../../testing/fixture.js';
import type { TimeseriesHarness } from '../../testing/harness.js';
import { oneOf, pick, type Random } from '../../testing/random.js';
import { storeTrades } from '../../testing/store-trades.js';

const second = 1_000_000;

/** A market of a series with everything that is stored of it. Times are whole seconds in microseconds. */
export interface RecordedMarket {
  readonly ticker: string;
  readonly openUs: number;
  readonly closeUs: number;
  readonly spans: readonly RecordedSpan[];
  readonly rows: readonly Observation[];
  readonly tradesUs: readonly number[];
}

export interface Shape {
  readonly ticker: string;
  readonly openUs: number;
  readonly closeUs: number;
  readonly nowUs: number;
}

const bases = ['sequence', 'sequence', 'sequence', 'snapshot', 'snapshot', 'silence', 'unknown', null] as const;

/** Spans at random times, some of which touch the open, the close or each other. All of a market have one tolerance. */
const randomSpans = (random: Random, { ticker, openUs, closeUs, nowUs }: Shape): RecordedSpan[] => {
  const lastUs = Math.min(closeUs, nowUs) + 60 * second;
  const whole = { ticker, start_us: openUs - second, end_us: lastUs, tolerance_us: 0, end_reason: null, clock: null };
  if (random() < 0.2) return [{ ...whole, layer: 'l2', sample_us: 1, basis: 'sequence' }];
  const tolerance_us = oneOf(random, [0, 0, 30 * second]);
  const layers = oneOf<readonly RecordedSpan['layer'][]>(random, [['l2'], ['top'], ['l2', 'top'], []]);
  return layers.flatMap((layer) => {
    const times = Array.from({ length: pick(random, 1, 6) * 2 }, () =>
      random() < 0.2
        ? oneOf(random, [openUs, Math.min(closeUs, nowUs - 60 * second)])
        : wholeSecond(random, openUs - 60 * second, lastUs),
    ).toSorted((a, b) => a - b);
    return times.flatMap((start_us, at): RecordedSpan[] => {
      const end_us = times[at + 1];
      if (at % 2 === 1 || end_us === undefined) return [];
      const end_reason = oneOf(random, [null, 'lost', 'lost', 'lost', contradictions.otherTop]);
      const basis = layer === 'top' ? null : oneOf(random, bases);
      const sample_us = layer === 'top' ? null : oneOf(random, [1, second]);
      return [{ ticker, layer, start_us, end_us, tolerance_us, sample_us, end_reason, basis, clock: null }];
    });
  });
};

const wholeSecond = (random: Random, fromUs: number, toUs: number): number =>
  pick(random, fromUs / second, toUs / second) * second;

const randomRows = (random: Random, { openUs, closeUs, nowUs }: Shape): Observation[] => {
  if (random() < 0.15) return [];
  const lastUs = Math.min(closeUs, nowUs);
  const times = new Set(
    Array.from({ length: pick(random, 1, 60) }, () => wholeSecond(random, openUs - 60 * second, lastUs)),
  );
  const hasBooks = random() < 0.7;
  return [...times]
    .toSorted((a, b) => a - b)
    .map((us) => ({
      us,
      bid: '0.4',
      ask: '0.6',
      ...(hasBooks && { book: random() < 0.2 ? null : { yes: '[(0.4,1)]', no: '[(0.4,2)]' } }),
    }));
};

export const storeMarket = async (
  { fixture, callers }: TimeseriesHarness,
  random: Random,
  shape: Shape,
): Promise<RecordedMarket> => {
  const { ticker, openUs, closeUs } = shape;
  const spans = randomSpans(random, shape);
  const rows = randomRows(random, shape);
  const lastUs = Math.min(closeUs, shape.nowUs);
  const tradesUs = Array.from({ length: pick(random, 0, 9) }, () => wholeSecond(random, openUs, lastUs));
  await fixture.market({
    ticker,
    series: 'S',
    event_ticker: 'E',
    title: `Is, "it" ${ticker}?`,
    open_us: openUs,
    close_us: closeUs,
  });
  if (rows.length > 0) await callers.store(ticker, rows);
  if (tradesUs.length > 0) {
    await storeTrades(
      callers.importer,
      ticker,
      tradesUs.map((receivedUs, at) => ({ id: `${at}`, receivedUs })),
    );
  }
  if (spans.length > 0) {
    const context = { requestId: 'test' };
    await callers.importer.call(timeseriesRpc.store, { input: { markets: [], spans }, context });
  }
  return { ticker, openUs, closeUs, rows, spans, tradesUs };
};
