import { type BatchedMarket } from '../intake/observation-batch.js';
import { exactRefusal, type FileContext, noteAltered, reasons } from '../intake/file-context.js';
import { observationBatchSender } from '../intake/observation-batch-sender.js';
import type { ObservedMarkets } from '../intake/observed-markets.js';
import { areNameable } from '../intake/ticker-of-row.js';
import type { MarketFact } from '../model/market-fact.js';
import { candleBatchBuilder } from './candle-batch.js';
import type { ReadCandle } from '../model/venue-candle.js';

export interface CandleIntake {
  /** Takes a candle, or returns why it is refused. `isFull` says when to `send`. */
  take(read: ReadCandle, source: { readonly factOf: () => MarketFact; readonly line: number }): string | null;
  isFull(): boolean;
  /** Sends what was taken. A market is sent before its candles. */
  send(): Promise<void>;
  /** Resolves when everything sent is stored. Rejects if something was not. */
  drained(): Promise<void>;
}

/** Takes the venue candles of a file into the archive. Those without a receipt are stated by the import. */
export const candleIntake = (context: FileContext, markets: ObservedMarkets, startedAt: Date): CandleIntake => {
  const { archive, catalogue, report } = context;
  const builder = candleBatchBuilder(startedAt.getTime() * 1_000);
  const sender = observationBatchSender(archive);
  let isFull = false;

  const batchedOf = (ticker: string, factOf: () => MarketFact, line: number): BatchedMarket | null => {
    const known = markets.get(ticker);
    if (known) return known.batched;
    const fact = factOf();
    return areNameable(fact) ? markets.open(fact, { repeated: 0, line }).batched : null;
  };
  const noteStored = (): void => void (report.candlesStored = sender.storedRows());

  return {
    take: ({ candle, altered }, { factOf, line }) => {
      const market = exactRefusal(context, altered) ?? batchedOf(candle.ticker, factOf, line) ?? reasons.longTicker;
      if (typeof market === 'string') {
        report.candlesRefused += 1;
        return market;
      }
      noteAltered(context, altered);
      report.candlesRead += 1;
      if (builder.add(market, candle)) isFull = true;
      return null;
    },
    isFull: () => isFull,
    send: async () => {
      const batch = builder.take();
      isFull = false;
      if (batch) await sender.send(batch, catalogue.flush());
      noteStored();
    },
    drained: () => sender.drained().finally(noteStored),
  };
};
