import { BookIntake } from '../books/intake.js';
import type { BookSource } from '../sources/book-source.js';
import type { FileContext } from './file-context.js';

export interface BooksWork {
  readonly context: FileContext;
  readonly sampleUs: number;
  readonly afterBlock: () => Promise<void>;
}

/** Imports a recording of order books. Everything read before an error is stored. */
export const importBooks = async (source: BookSource, { context, sampleUs, afterBlock }: BooksWork): Promise<void> => {
  const { report } = context;
  const intake = new BookIntake({ context, intervalUs: sampleUs, factOf: source.factOf });
  let broken: { readonly error: unknown } | null = null;
  try {
    for await (const block of source.blocks()) {
      for (const message of block) {
        const busy = intake.take(message);
        if (busy) await busy;
      }
      report.mapping = source.name();
      await afterBlock();
    }
  } catch (error) {
    broken = { error };
  }
  await intake.finish();
  report.books = { ...intake.counts };
  if (broken) throw broken.error;
};
