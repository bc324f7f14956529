import { exactRefusal, type FileContext, noteAltered, reasons } from '../intake/file-context.js';
import type { ObservedMarkets } from '../intake/observed-markets.js';
import { openMarket, recordIntake, type RecordIntake } from '../intake/record-intake.js';
import { candleBatchBuilder } from './candle-batch.js';
import type { ReadCandle } from '../model/venue-candle.js';

/** Takes the venue candles of a file into the archive. Those without a receipt are stated by the import. */
export const candleIntake = (
  context: FileContext,
  markets: ObservedMarkets,
  startedAt: Date,
): RecordIntake<ReadCandle> => {
  const { report } = context;
  const builder = candleBatchBuilder(startedAt.getTime() * 1_000);
  const onStored = (rows: number): void => void (report.candlesStored = rows);
  return recordIntake(context, { builder, onStored }, (add) => ({ candle, altered }, source) => {
    const market = exactRefusal(context, altered) ?? openMarket(markets, candle.ticker, source) ?? reasons.longTicker;
    if (typeof market === 'string') {
      report.candlesRefused += 1;
      return market;
    }
    noteAltered(context, altered);
    report.candlesRead += 1;
    add(market, candle);
    return null;
  });
};
