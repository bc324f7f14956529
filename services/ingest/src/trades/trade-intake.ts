import type { BatchedMarket } from '../intake/observation-batch.js';
import { exactRefusal, type FileContext, noteAltered, noteWindow, reasons } from '../intake/file-context.js';
import type { ObservedMarkets } from '../intake/observed-markets.js';
import { openMarket, recordIntake, type RecordIntake } from '../intake/record-intake.js';
import type { MarketFact } from '../model/market-fact.js';
import type { ReadTrade, Trade } from '../model/trade.js';
import { tradeBatchBuilder } from './trade-batch.js';

export type TradeIntake = RecordIntake<ReadTrade>;

/** Checks trades and adds them to a batch. The markets are those of the file or feed. */
export const tradeTaker = (
  context: FileContext,
  markets: ObservedMarkets,
  add: (market: BatchedMarket, trade: Trade) => void,
): TradeIntake['take'] => {
  const { report } = context;
  const onOpen = (fact: MarketFact): void => noteWindow(context, fact);
  return ({ trade, altered }, source) => {
    const market =
      exactRefusal(context, altered) ?? openMarket(markets, trade.ticker, source, onOpen) ?? reasons.longTicker;
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
  const { report } = context;
  const onStored = (rows: number): void => void (report.tradesStored = rows);
  return recordIntake(context, { builder: tradeBatchBuilder(), onStored }, (add) => tradeTaker(context, markets, add));
};
