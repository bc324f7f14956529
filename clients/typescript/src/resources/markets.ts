import { sleep } from '../http/attempt.js';
import { deadlineError } from '../http/connection-errors.js';
import type { Transport } from '../http/transport.js';
import { nextOf, type Pages, pagesOf, tooMany } from '../pages.js';
import type { AnswerOf, BodyOf, CallOptions, Coverage, Market, QueryOf, Trade } from '../types.js';
import { candlesOf, candlesOfMarkets, snapshotsOf } from './observations.js';

export type MarketsPage = AnswerOf<'listMarkets'>;
export type MarketDetail = AnswerOf<'getMarket'>;
/** A prepared preview, which has its coverage. */
export type Preview = AnswerOf<'previewMarket'> & { readonly coverage: Coverage };
export type TradesPage = AnswerOf<'listTrades'>;
export type Book = AnswerOf<'getBook'>;
export type MarketsAt = AnswerOf<'readMarketsAt'>;

type ListParams = QueryOf<'listMarkets'>;
interface ListPosition {
  readonly cursor?: string;
  readonly to_ts?: number;
}

/** A preview is prepared within a second as a rule. */
const pollMsMin = 50;
const pollMsMax = 1_000;

const isPrepared = (answer: AnswerOf<'previewMarket'>): answer is Preview =>
  !answer.pending && answer.coverage !== null;

export const marketsOf = (transport: Transport) => {
  const preview = async (
    ticker: string,
    params: QueryOf<'previewMarket'> = {},
    options: CallOptions = {},
  ): Promise<Preview> => {
    const limits = transport.limitsOf(options);
    for (let polls = 0; ; polls += 1) {
      const request = { operation: 'previewMarket', path: { ticker }, query: params } as const;
      const answer = await transport.json<AnswerOf<'previewMarket'>>(request, options, 'snapshots');
      if (isPrepared(answer)) return answer;
      const pollMs = Math.min(pollMsMax, pollMsMin * 1.5 ** polls);
      if (performance.now() + pollMs > limits.endsMs) throw deadlineError(limits.deadlineMs, undefined);
      await sleep(pollMs, limits.signal);
    }
  };
  const coverage = async (
    ticker: string,
    params: QueryOf<'previewMarket'> = {},
    options: CallOptions = {},
  ): Promise<Coverage> => (await preview(ticker, params, options)).coverage;
  return {
    /**
     * Markets by close time, newest first. Without a window, the server answers with the newest days. Then this goes on with
     * the older ones, because a list must not be cut silently. `days` limits it to these days. A market that is not live and has
     * no close time is not in a list by close time: `event`, `series.markets()` and `changesSince(0)` find it.
     */
    list: listOf(transport),
    /**
     * Markets that changed in the archive since a time, the earliest change first. To go on later, pass `next_cursor` of the
     * last page as `cursor`.
     */
    changesSince: changesOf(transport),
    /** A market with its settlement, fees and history. */
    get: (ticker: string, params: QueryOf<'getMarket'> = {}, options?: CallOptions): Promise<MarketDetail> =>
      transport.json({ operation: 'getMarket', path: { ticker }, query: params }, options),
    /** A preview, which the server prepares if it has none. */
    preview,
    /** What is stored of a market, and the gaps in it. */
    coverage,
    /** Stored observations. Without bounds, all of them. */
    snapshots: snapshotsOf(transport, coverage),
    /** Candles. Without bounds, of all data until the close. */
    candles: candlesOf(transport, coverage),
    /** Candles of up to 100 markets in the same periods. */
    candlesOf: candlesOfMarkets(transport),
    /** Trades. Without bounds, all of them. */
    trades: (ticker: string, params: QueryOf<'listTrades'> = {}, options?: CallOptions): Pages<Trade, TradesPage> =>
      pagesOf<Trade, TradesPage, string>(async (cursor = params.cursor) => {
        const request = { operation: 'listTrades', path: { ticker }, query: { ...params, cursor } } as const;
        const answer = await transport.json<TradesPage>(request, options, 'trades');
        return { answer, items: answer.trades, next: nextOf(answer.has_more, answer.next_cursor) };
      }),
    /** The order book now or at `at_ts`. `in_gap` says whether the recording had a gap then. */
    book: (ticker: string, params: QueryOf<'getBook'> = {}, options?: CallOptions): Promise<Book> =>
      transport.json({ operation: 'getBook', path: { ticker }, query: params }, options),
    /** The last observation of each market at or before each time. Null values: none yet, or a gap. */
    at: async (body: BodyOf<'readMarketsAt'>, options?: CallOptions): Promise<MarketsAt> => {
      const answer = await transport.json<MarketsAt>({ operation: 'readMarketsAt', body }, options, 'snapshots');
      if (answer.has_more) throw tooMany('The server answered with a part of these markets and times.');
      return answer;
    },
  };
};

const listOf =
  (transport: Transport) =>
  (params: ListParams = {}, options?: CallOptions): Pages<Market, MarketsPage> =>
    pagesOf<Market, MarketsPage, ListPosition>(async (at = {}) => {
      const request = { operation: 'listMarkets', query: { ...params, ...at } } as const;
      const answer = await transport.json<MarketsPage>(request, options, 'markets');
      const { has_more, next_cursor, defaulted, has_older, from_ts } = answer;
      if (has_more) return { answer, items: answer.markets, next: { ...at, cursor: nextOf(true, next_cursor) ?? '' } };
      const isAll = !defaulted || !has_older || from_ts === null || params.days !== undefined;
      return { answer, items: answer.markets, next: isAll ? undefined : { to_ts: from_ts - 1e-6 } };
    });

const changesOf =
  (transport: Transport) =>
  (
    changed_since_ts: number,
    params: Omit<ListParams, 'changed_since_ts'> = {},
    options?: CallOptions,
  ): Pages<Market, MarketsPage> =>
    pagesOf<Market, MarketsPage, string>(async (cursor = params.cursor) => {
      const request = { operation: 'listMarkets', query: { ...params, changed_since_ts, cursor } } as const;
      const answer = await transport.json<MarketsPage>(request, options, 'markets');
      return { answer, items: answer.markets, next: nextOf(answer.has_more, answer.next_cursor) };
    });
