import type { StagingMissing } from '@almanac/contracts';
import type { StagedKind, Staging } from '../archive.js';
import type { FileContext } from '../intake/file-context.js';
import { count } from '../intake/report.js';
import type { CompiledMapping } from '../mapping/compile-mapping.js';
import type { BookSource } from '../model/book-source.js';
import type { Source } from '../sources/source.js';
import { bookWayOf, type ImportWay, wayOf } from './import-way.js';
import type { FileWork, ReportedWork } from './take-blocks.js';

/** The staging of a file of rows. Null: it is imported by row. */
export const stagingOfRows = (
  work: FileWork,
  context: FileContext,
  { compiled, source }: { readonly compiled: CompiledMapping; readonly source: Source },
): Promise<Staging | null> => {
  const file = { source, sizeBytes: work.opened.sizeBytes, fromBytes: work.options.bulkFromBytes };
  return stagingIn(work, context, {
    kind: compiled.rowKind === 'trade' ? 'trades' : 'snapshots',
    way: (missing) => wayOf(compiled, { ...file, missing }),
  });
};

/** The staging of a recording of books. Null: its batches are stored one by one. */
export const stagingOfBooks = (
  work: ReportedWork,
  context: FileContext,
  { sizeBytes }: Pick<BookSource, 'sizeBytes'>,
): Promise<Staging | null> => {
  const { bulkFromBytes: fromBytes } = work.options;
  return stagingIn(work, context, { kind: 'books', way: (missing) => bookWayOf({ sizeBytes, fromBytes, missing }) });
};

const stagingIn = async (
  { report }: ReportedWork,
  { archive }: FileContext,
  { kind, way }: { readonly kind: StagedKind; readonly way: (missing: StagingMissing | null) => ImportWay },
): Promise<Staging | null> => {
  if (!way(null).isBulk) return null;
  const found = (await archive.openStaging?.(kind)) ?? 'cluster';
  if (typeof found !== 'string') return found;
  if (found === 'rights') count(report.warnings, `imported by row: ${way(found).why}`);
  return null;
};
