import type { BookMessage } from '../../model/feed-message.js';
import type { CompiledMapping, View } from '../../mapping/compile-mapping.js';
import type { LevelColumns } from '../../mapping/level-columns.js';
import type { BookSource } from '../../model/book-source.js';
import type { OpenedSource } from '../../sources/open/open-source.js';
import type { BrokenRow, RowBlock, Source } from '../../sources/source.js';
import type { FileContext } from '../../intake/file-context.js';
import { LevelMessages } from './level-messages.js';

export interface MappedFile {
  readonly source: Source;
  readonly opened: OpenedSource;
  readonly context: FileContext;
}

/** A file of one line a level as a recording of books. It may be sorted by time or by market. */
export const mappedBooks = ({ name, views }: CompiledMapping, { source, opened, context }: MappedFile): BookSource => {
  const [view] = views;
  const level = view?.level;
  if (!view || !level) throw new Error(`the mapping ${name} has no levels of books`);
  return {
    name: () => name,
    factOf: (ticker) => ({ kind: 'market', ticker }),
    inTimeOrder: level.within === 'file' ? 'feed' : 'subscription',
    sizeBytes: opened.sizeBytes,
    bytesRead: opened.bytesRead,
    blocks: () => messageBlocks(source.blocks(), { view, level, context }),
  };
};

/** An error of the file leaves its last message out, because rows of it may be missing. */
async function* messageBlocks(
  blocks: AsyncIterable<RowBlock>,
  { view, level, context }: { view: View; level: LevelColumns; context: FileContext },
): AsyncGenerator<readonly BookMessage[], void, undefined> {
  const messages = new LevelMessages(context, view, level);
  for await (const block of blocks) {
    for (const [index, cells] of block.rows.entries()) {
      const line = block.lineOf(index);
      for (const row of brokenBefore(block.broken, { from: index === 0 ? 0 : block.lineOf(index - 1), line }))
        messages.broken(row);
      messages.row(cells, line);
    }
    const lastLine = block.rows.length === 0 ? 0 : block.lineOf(block.rows.length - 1);
    for (const row of brokenBefore(block.broken, { from: lastLine, line: Infinity })) messages.broken(row);
    yield messages.take();
  }
  messages.end();
  yield messages.take();
}

const noRows: readonly BrokenRow[] = [];

const brokenBefore = (
  broken: readonly BrokenRow[],
  { from, line }: { readonly from: number; readonly line: number },
): readonly BrokenRow[] => (broken.length === 0 ? noRows : broken.filter((row) => row.line > from && row.line < line));
