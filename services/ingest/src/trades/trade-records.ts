import { type BlockConsumer, type FileContext, reasons, refuse } from '../import/file-context.js';
import { observedMarkets } from '../import/observed-markets.js';
import { entitiesIn } from '../sources/catalogue-formats.js';
import { isObject, type JsonObject, type RecordBlock } from '../sources/source.js';
import { tradeFormatOf } from './trade-formats.js';
import { tradeIntake } from './trade-intake.js';

/** A collector can list the trades of each market under its ticker: `{"KXA-26MAR-T1": […], …}`. */
const tradesIn = (record: JsonObject): readonly JsonObject[] => {
  if (tradeFormatOf(record)) return [record];
  const lists = Object.values(record);
  const trades = lists.every(Array.isArray) ? lists.flat().filter(isObject) : [];
  return trades.length > 0 && trades.every(tradeFormatOf) ? trades : [record];
};

/** Imports a venue's dump of trades. A market that the catalogue does not know is created from its trades. */
export const tradeRecords = (context: FileContext): BlockConsumer<RecordBlock> => {
  const { report } = context;
  const markets = observedMarkets(context);
  const intake = tradeIntake(context, markets);

  return {
    consume: async ({ records }) => {
      for (const { value, line } of records)
        for (const record of entitiesIn(value).flatMap(tradesIn)) {
          const found = tradeFormatOf(record)?.read(record) ?? reasons.otherTrade;
          const refusal = typeof found === 'string' ? found : intake.take(found, { factOf: () => found.fact, line });
          if (typeof found === 'string') report.tradesRefused += 1;
          if (refusal !== null) refuse(context, { line, cells: [JSON.stringify(record)], part: '' }, refusal);
          if (intake.isFull()) await intake.send();
          if (markets.isFull()) {
            await intake.send();
            await markets.close();
          }
        }
    },
    finish: async () => {
      try {
        await intake.send();
      } finally {
        await intake.drained();
      }
      await markets.close();
    },
  };
};
