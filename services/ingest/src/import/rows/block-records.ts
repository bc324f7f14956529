import type { BlockTable } from '../../venues/catalogue-format.js';
import type { KnownCatalogue } from '../../sources/known-catalogue.js';
import type { RecordBlock } from '../../sources/source.js';
import { type BlockConsumer, type FileContext, refuse } from '../../intake/file-context.js';

/** Remembers the times of blocks for the trades of later files. */
export const blockRecords = (
  context: FileContext,
  { table, known }: { readonly table: BlockTable; readonly known: KnownCatalogue },
): BlockConsumer<RecordBlock> => ({
  consume: ({ records }) => {
    for (const { value, line } of records) {
      const found = table.read(value);
      if (found && known.blocks?.see(found.block, found.us) === true) {
        context.report.blockTimes += 1;
        continue;
      }
      context.report.recordsRefused += 1;
      const reason = found ? 'the time of the block cannot be kept' : 'no time of a block';
      refuse(context, { line, cells: [JSON.stringify(value)], part: '' }, reason);
    }
    return Promise.resolve();
  },
  finish: () => Promise.resolve(),
});
