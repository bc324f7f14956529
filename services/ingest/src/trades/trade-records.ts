import { type BlockConsumer, type FileContext, reasons, refuse } from '../intake/file-context.js';
import { observedMarkets } from '../intake/observed-markets.js';
import { finishRecords, sendIfFull } from '../intake/record-intake.js';
import { count } from '../intake/report.js';
import { entitiesIn } from '../venues/catalogue-formats.js';
import type { KnownCatalogue } from '../sources/known-catalogue.js';
import type { KnownOutcomes } from '../sources/known-outcomes.js';
import { isObject, type JsonObject, type RecordBlock } from '../sources/source.js';
import { equalTrades } from './equal-trades.js';
import type { TradeSources } from '../venues/trade-format.js';
import { tradeFormatOf } from '../venues/trade-formats.js';
import { tradeIntake } from './trade-intake.js';

/** A collector can list the trades of each market under its ticker: `{"KXA-26MAR-T1": […], …}`. */
const tradesIn = (record: JsonObject): readonly JsonObject[] => {
  if (tradeFormatOf(record)) return [record];
  const lists = Object.values(record);
  const trades = lists.every(Array.isArray) ? lists.flat().filter(isObject) : [];
  return trades.length > 0 && trades.every(tradeFormatOf) ? trades : [record];
};

const idsIn = (record: JsonObject): readonly string[] => tradeFormatOf(record)?.idsIn?.(record) ?? [];

interface TradeContext {
  readonly known: KnownCatalogue;
  readonly outcomes: Pick<KnownOutcomes, 'get' | 'find'>;
}

/** Imports a venue's dump of trades. A market that the catalogue does not know is created from its trades. */
export const tradeRecords = (context: FileContext, { known, outcomes }: TradeContext): BlockConsumer<RecordBlock> => {
  const { report } = context;
  const markets = observedMarkets(context);
  const intake = tradeIntake(context, markets);
  const numbered = equalTrades();
  const sources: TradeSources = {
    marketOfOutcome: outcomes.get,
    blockTimeUs: (block) => known.blocks?.usOf(block) ?? null,
  };
  /** Why the record is refused, or null. */
  const takeRecord = (record: JsonObject, line: number): string | null => {
    const format = tradeFormatOf(record);
    const found = format?.read(record, sources) ?? reasons.otherTrade;
    if (typeof found === 'string') {
      report.tradesRefused += 1;
      return found;
    }
    if ('leftOut' in found) {
      count(report.leftOut, found.leftOut);
      return null;
    }
    const trade = format?.hasNoId === true ? numbered(found.trade) : found.trade;
    return intake.take({ ...found, trade }, { factOf: () => found.fact, line });
  };

  return {
    consume: async ({ records }) => {
      const trades = records.map(({ value, line }) => ({ line, found: entitiesIn(value).flatMap(tradesIn) }));
      await outcomes.find(trades.flatMap(({ found }) => found.flatMap(idsIn)));
      for (const { found, line } of trades)
        for (const record of found) {
          const refusal = takeRecord(record, line);
          if (refusal !== null) refuse(context, { line, cells: [JSON.stringify(record)], part: '' }, refusal);
          await sendIfFull(intake, markets);
        }
    },
    finish: () => finishRecords(intake, markets),
  };
};
