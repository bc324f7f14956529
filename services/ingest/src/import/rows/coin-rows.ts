import type { ObservationBatch } from '../../archive.js';
import {
  type BlockConsumer,
  exactRefusal,
  type FileContext,
  noteAltered,
  reasons,
  refuse,
} from '../../intake/file-context.js';
import { type BatchedMarket, rowBatch } from '../../intake/observation-batch.js';
import { observationBatchSender } from '../../intake/observation-batch-sender.js';
import type { View } from '../../mapping/compile-mapping.js';
import type { RowBlock } from '../../sources/source.js';
import type { NamedAltered } from '../../values/altered.js';
import { secondsText } from '../../values/time.js';

/** Imports a file whose rows are prices of coins, as its mapping describes them. They belong to no market. */
export const coinRows = (context: FileContext, views: readonly View[]): BlockConsumer<RowBlock> => {
  const { archive, report } = context;
  const batch = rowBatch('coins');
  const sender = observationBatchSender(archive);
  const coins = new Map<string, BatchedMarket>();
  let isFull = false;

  /** Why the row is refused, or null. */
  const takeRow = ({ coin: columns, refuseCell }: View, cells: readonly string[]): string | null => {
    if (columns === null) return null;
    if (refuseCell !== null && (cells[refuseCell] ?? '').trim() !== '') return reasons.sourceError;
    const altered: NamedAltered[] = [];
    const read = columns.read(cells, (change) => void altered.push(change));
    if (typeof read === 'string') return read;
    const inexact = exactRefusal(context, altered);
    if (inexact !== null) return inexact;
    noteAltered(context, altered);
    const price = `\t${read.price}\n`;
    const row = { us: read.us, text: `${secondsText(read.us)}${price}`, valuesBytes: price.length };
    if (batch.add(batchedCoin(coins, read.coin), row)) isFull = true;
    report.coinPricesRead += 1;
    return null;
  };
  const send = async (full: ObservationBatch | null): Promise<void> => {
    isFull = false;
    if (full) await sender.send(full, Promise.resolve());
    report.coinPricesStored = sender.storedRows();
  };

  return {
    consume: async (block) => {
      for (let index = 0; index < block.rows.length; index += 1) {
        const cells = block.rows[index] ?? [];
        for (const view of views) {
          const refusal = takeRow(view, cells);
          if (refusal === null) continue;
          report.coinPricesRefused += 1;
          refuse(context, { line: block.lineOf(index), cells, part: view.label }, refusal);
        }
        if (isFull) await send(batch.take());
      }
    },
    finish: async () => {
      try {
        await send(batch.take());
      } finally {
        await sender.drained().finally(() => (report.coinPricesStored = sender.storedRows()));
      }
    },
  };
};

const batchedCoin = (coins: Map<string, BatchedMarket>, coin: string): BatchedMarket => {
  const known = coins.get(coin);
  if (known !== undefined) return known;
  const batched = { ticker: coin, series: '', rowPrefix: `${coin}\t`, rowPrefixBytes: coin.length + 1 };
  coins.set(coin, batched);
  return batched;
};
