import { type BatchedMarket } from '../intake/observation-batch.js';
import { exactRefusal, type FileContext, noteAltered, noteWindow, reasons } from '../intake/file-context.js';
import type { ObservedMarkets } from '../intake/observed-markets.js';
import { observationBatchSender } from '../intake/observation-batch-sender.js';
import { areNameable } from '../intake/ticker-of-row.js';
import type { MarketFact } from '../model/market-fact.js';
import type { ReadTrade, Trade } from '../model/trade.js';
import { tradeBatchBuilder } from './trade-batch.js';

export interface TradeIntake {
  /** Takes a trade, or returns why it is refused. `isFull` says when to `send`. */
  take(read: ReadTrade, source: { readonly factOf: () => MarketFact; readonly line: number }): string | null;
  isFull(): boolean;
  /** Sends what was taken. A market is sent before its trades. */
  send(): Promise<void>;
  /** Resolves when everything sent is stored. Rejects if something was not. */
  drained(): Promise<void>;
}

type TakeTrade = TradeIntake['take'];

/** Checks trades and adds them to a batch. The markets are those of the file or feed. */
export const tradeTaker = (
  context: FileContext,
  markets: ObservedMarkets,
  add: (market: BatchedMarket, trade: Trade) => void,
): TakeTrade => {
  const { report } = context;
  const batchedOf = (ticker: string, factOf: () => MarketFact, line: number): BatchedMarket | null => {
    const known = markets.get(ticker);
    if (known) return known.batched;
    const fact = factOf();
    if (!areNameable(fact)) return null;
    noteWindow(context, fact);
    return markets.open(fact, { repeated: 0, line }).batched;
  };
  return ({ trade, altered }, { factOf, line }) => {
    const market = exactRefusal(context, altered) ?? batchedOf(trade.ticker, factOf, line) ?? reasons.longTicker;
    if (typeof market === 'string') {
      report.tradesRefused += 1;
      return market;
    }
    noteAltered(context, altered);
    report.tradesRead += 1;
    add(market, trade);
    return null;
  };
};

/** Takes trades into the archive, from files and live captures. */
export const tradeIntake = (context: FileContext, markets: ObservedMarkets): TradeIntake => {
  const { archive, catalogue, report } = context;
  const builder = tradeBatchBuilder();
  const sender = observationBatchSender(archive);
  let isFull = false;

  const noteStored = (): void => void (report.tradesStored = sender.storedRows());

  return {
    take: tradeTaker(context, markets, (market, trade) => {
      if (builder.add(market, trade)) isFull = true;
    }),
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
