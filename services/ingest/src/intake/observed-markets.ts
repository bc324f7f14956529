import type { MarketFact } from '../model/market-fact.js';
import { type FileContext, refuse, refusalReason } from './file-context.js';
import { derivedFact, type MarketOutcome, seenMarket, type SeenMarket, type SeenPrice } from './seen-markets.js';

/** Markets of an observation file in memory at once, about 600 bytes each. */
const marketsMax = 50_000;

export interface ObservedMarkets {
  get(ticker: string): SeenMarket | undefined;
  /** Adds a new market. Its fact goes to the catalogue with the next flush. */
  open(fact: MarketFact, seen: { repeated: number; line: number }): SeenMarket;
  isFull(): boolean;
  /** Sends what the observations say about the markets, and drops them. Facts merge in any order. */
  close(): Promise<void>;
}

export const observedMarkets = (context: FileContext): ObservedMarkets => {
  const { catalogue, report } = context;
  const markets = new Map<string, SeenMarket>();
  /** Pending additions of `open`, awaited before the book closes. */
  const adding = new Set<Promise<void>>();

  /** A market counts once, by its strongest outcome: created, then changed, then unchanged. */
  const settle = (market: SeenMarket, outcome: MarketOutcome): void => {
    const before = market.outcome;
    if (
      before === 'refused' ||
      before === 'created' ||
      before === outcome ||
      (before === 'changed' && outcome === 'unchanged')
    )
      return;
    if (before !== null) report.outcomes[before] -= 1;
    report.outcomes[outcome] += 1;
    market.outcome = outcome;
  };
  const add = (market: SeenMarket, fact: MarketFact): Promise<void> =>
    catalogue.add(fact, (outcome) => {
      if (outcome.outcome !== 'refused') return settle(market, outcome.outcome);
      refuse(context, { line: market.line, cells: [fact.ticker], part: '' }, refusalReason(outcome));
      if (market.outcome === null) report.outcomes.refused += 1;
      market.outcome = 'refused';
    });

  return {
    get: (ticker) => markets.get(ticker),
    open: (fact, { repeated, line }) => {
      const market = seenMarket(fact, { repeated, line });
      markets.set(fact.ticker, market);
      report.markets += 1;
      const added = add(market, fact);
      adding.add(added);
      added.then(
        () => adding.delete(added),
        () => undefined,
      );
      return market;
    },
    isFull: () => markets.size >= marketsMax,
    close: async () => {
      await Promise.all(adding);
      const atClose = pricesAtClose(markets.values());
      for (const market of markets.values()) {
        market.open = false;
        const fact = {
          ...lateFields(market),
          ...derivedFact(market, atClose.get(momentOf(market.fact, market.openUs))),
        };
        if (Object.keys(fact).length > 0) await add(market, { ...fact, kind: 'market', ticker: market.fact.ticker });
      }
      markets.clear();
      await catalogue.flush();
    },
  };
};

/** A strike that is missing in the market's first row but present in a later one. */
const lateFields = (market: SeenMarket): Partial<MarketFact> => {
  const late = market.repeatedValues[0];
  return late !== undefined && market.fact.floor_strike === undefined ? { floor_strike: late } : {};
};

const momentOf = ({ series }: MarketFact, us: number | null): string => `${series ?? ''} ${us ?? ''}`;

/** The last coin price up to each close, by series and close. */
const pricesAtClose = (markets: Iterable<SeenMarket>): ReadonlyMap<string, SeenPrice> => {
  const prices = new Map<string, SeenPrice>();
  for (const { fact, closeUs, atClose } of markets) {
    if ((fact.series ?? '') === '' || closeUs === null || atClose.us < 0) continue;
    const moment = momentOf(fact, closeUs);
    if (atClose.us > (prices.get(moment)?.us ?? -1)) prices.set(moment, atClose);
  }
  return prices;
};
