import type { Transport } from '../http/transport.js';
import { nextOf, type Pages, pagesOf } from '../pages.js';
import type { Time } from '../times.js';
import type { AnswerOf, BodyOf, CallOptions, Candle, Coverage, CoverageGap, QueryOf, Snapshot } from '../types.js';

/** The gaps of the recording that overlap the window of an answer. */
export interface WithGaps {
  readonly gaps: readonly CoverageGap[];
  /** False if the server lists only the first gaps of this market: `coverage()` has their number. */
  readonly gapsComplete: boolean;
}
export type SnapshotsPage = AnswerOf<'listSnapshots'> & WithGaps;
export type CandlesPage = AnswerOf<'listCandles'> & WithGaps;
export type CandleBatch = AnswerOf<'listCandlesOfMarkets'>;

export interface ObservationOptions extends CallOptions {
  /** What `coverage(ticker)` has answered, which saves the call a request for the gaps. */
  readonly coverage?: Coverage | undefined;
}

interface PointInTime {
  readonly as_of?: Time | undefined;
}
type ReadCoverage = (ticker: string, params: PointInTime, options: CallOptions | undefined) => Promise<Coverage>;

interface GivenBounds {
  readonly start_ts?: Time | null;
  readonly end_ts?: Time | null;
}

interface Window {
  readonly start_ts: number;
  readonly end_ts: number;
}

const withGaps = <Answer extends Window>(answer: Answer, { gaps, gaps_n }: Coverage): Answer & WithGaps => ({
  ...answer,
  gaps: gaps.filter(({ start_ts, end_ts }) => start_ts < answer.end_ts && (end_ts ?? Infinity) > answer.start_ts),
  gapsComplete: gaps.length === gaps_n,
});

/** The call shows the archive of one time, so its gaps are those of this time. */
const pointInTime = ({ as_of }: PointInTime): PointInTime => (as_of === undefined ? {} : { as_of });

const givenCoverage = (options: ObservationOptions | undefined): Promise<Coverage> | undefined =>
  options?.coverage === undefined ? undefined : Promise.resolve(options.coverage);

/** The smallest step of time: windows exclude their end. */
const microsecond = 1e-6;

/** A window of the server has at most 6 hours. Bounds that the caller leaves out are those of the whole recording. */
const wholeWindow = (params: GivenBounds, { first_print_ts, last_print_ts }: Coverage): GivenBounds => ({
  ...(first_print_ts === null ? {} : { start_ts: first_print_ts }),
  ...(last_print_ts === null ? {} : { end_ts: last_print_ts + microsecond }),
  ...params,
});

export const snapshotsOf =
  (transport: Transport, coverageOf: ReadCoverage) =>
  (
    ticker: string,
    params: QueryOf<'listSnapshots'> = {},
    options?: ObservationOptions,
  ): Pages<Snapshot, SnapshotsPage> => {
    let coverage = givenCoverage(options);
    return pagesOf<Snapshot, SnapshotsPage, number>(async (start_ts) => {
      const reading = (coverage ??= coverageOf(ticker, pointInTime(params), options));
      const given = boundsIn(params);
      // The preview of a window is its first minutes, and has bounds of its own.
      const isBounded = params.preview === true || ('start_ts' in given && 'end_ts' in given);
      const bounds = isBounded ? given : wholeWindow(given, await reading);
      const query = { ...params, ...bounds, ...(start_ts === undefined ? {} : { start_ts }) };
      const request = { operation: 'listSnapshots', path: { ticker }, query } as const;
      const page = transport.json<AnswerOf<'listSnapshots'>>(request, options, 'snapshots');
      const [answer, known] = await Promise.all([page, reading]);
      const goesOn = answer.has_more && params.preview !== true;
      const next = nextOf(goesOn, answer.next_start_ts);
      return { answer: withGaps(answer, known), items: answer.snapshots, next };
    });
  };

const boundsIn = ({ start_ts, end_ts }: QueryOf<'listSnapshots'>): GivenBounds => ({
  ...(start_ts === undefined ? {} : { start_ts }),
  ...(end_ts === undefined ? {} : { end_ts }),
});

export const candlesOf =
  (transport: Transport, coverageOf: ReadCoverage) =>
  (ticker: string, params: QueryOf<'listCandles'> = {}, options?: ObservationOptions): Pages<Candle, CandlesPage> => {
    let coverage = givenCoverage(options);
    return pagesOf<Candle, CandlesPage, Time | null>(async (start_ts = params.start_ts) => {
      const known = await (coverage ??= coverageOf(ticker, pointInTime(params), options));
      const request = { operation: 'listCandles', path: { ticker }, query: { ...params, start_ts } } as const;
      const answer = await transport.json<AnswerOf<'listCandles'>>(request, options, 'candles');
      const next = nextOf(answer.has_more, answer.next_start_ts);
      return { answer: withGaps(answer, known), items: answer.candles, next };
    });
  };

export const candlesOfMarkets =
  (transport: Transport) =>
  (body: Omit<BodyOf<'listCandlesOfMarkets'>, 'numbers'>, options?: CallOptions): Pages<Candle, CandleBatch> =>
    pagesOf<Candle, CandleBatch, number>(async (start_ts) => {
      const moved = start_ts === undefined ? body : { ...body, start_ts };
      const request = { operation: 'listCandlesOfMarkets', body: moved } as const;
      const answer = await transport.json<CandleBatch>(request, options, 'candles');
      return { answer, items: answer.candles, next: nextOf(answer.has_more, answer.next_start_ts) };
    });
