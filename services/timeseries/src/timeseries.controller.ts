import type { Handlers } from '@almanac/bus/server';
import { readTimeOf, type timeseriesRpc } from '@almanac/contracts';
import { answerCandleBatch, answerCandles } from './candles/candles.query.js';
import { answerCoins } from './coins/coins.query.js';
import { joinCoinPrices } from './coins/join-coin-prices.command.js';
import { answerEventSnapshots } from './event-grid/event-snapshots.query.js';
import { answerBook } from './moments/book.query.js';
import { answerMarketsAt } from './moments/markets-at.query.js';
import { storeObservations } from './observations/store-observations.command.js';
import { answerPastPreview } from './preview/past-preview.query.js';
import { answerCoverageOfMarkets } from './quality/coverage-of-markets.query.js';
import { answerQuality } from './quality/quality.query.js';
import { answerSnapshots } from './snapshots/snapshots.query.js';
import type { TimeseriesDeps } from './timeseries-deps.js';
import { answerTrades } from './trades/trades.query.js';

export const timeseriesController = ({
  storing,
  snapshots,
  reads,
  previews,
}: TimeseriesDeps): Handlers<typeof timeseriesRpc> => ({
  store: (input, context) => storeObservations(storing, input, context),
  openStaging: (input) => storing.staging.open(input),
  storeStaged: (input, context) => storing.staging.store(input, context),
  publishStaging: ({ staging }, context) => storing.staging.publish(staging, () => Math.max(1, context.remainingMs)),
  coins: (_input, context) => answerCoins(storing.clickhouse, context),
  joinCoinPrices: (input, context) => joinCoinPrices(storing, input, context),
  snapshots: (input, context) => answerSnapshots(snapshots, input, context),
  trades: (input, context) => answerTrades(reads, input, context),
  preview: ({ ticker, as_of: asOf }, context) =>
    asOf === undefined
      ? previews.answer(ticker, context)
      : answerPastPreview(reads, { ticker, time: readTimeOf(asOf) }, context),
  book: (input, context) => answerBook(reads, input, context),
  marketsAt: (input, context) => answerMarketsAt(reads, input, context),
  candles: (input, context) => answerCandles(reads, input, context),
  candleBatch: (input, context) => answerCandleBatch(reads, input, context),
  quality: (input, context) => answerQuality(reads, input, context),
  coverageOfMarkets: (input, context) => answerCoverageOfMarkets(reads, input, context),
  eventSnapshots: (input, context) => answerEventSnapshots(reads, input, context),
});
