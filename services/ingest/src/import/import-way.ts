import type { StagingMissing } from '@almanac/contracts';
import type { CompiledMapping } from '../mapping/compile-mapping.js';
import type { Source } from '../sources/source.js';

/** How the rows of a file are read, and why. */
export interface ImportWay {
  readonly isBulk: boolean;
  readonly why: string;
}

/** At this size, an import by column takes about half the time. Each has a staging table, so many small files would make many of them. */
export const bulkBytesMin = 512 * 1024;

interface FileSize {
  readonly sizeBytes: number;
  readonly fromBytes?: number | undefined;
  /** Null: the archive has staging tables. */
  readonly missing?: StagingMissing | null;
}

interface ReadFile extends FileSize {
  readonly source: Pick<Source, 'format' | 'hasCells'>;
}

const whyMissing: Readonly<Record<StagingMissing, string>> = {
  cluster: 'a cluster of ClickHouse has no staging tables',
  rights:
    'the archive has no right to staging tables. Apply users.d/almanac.xml of this release to ClickHouse, and large files are imported faster',
};

export const wayOf = (
  { rowKind, views }: Pick<CompiledMapping, 'rowKind' | 'views'>,
  { source, ...size }: ReadFile,
): ImportWay => {
  if (rowKind === 'level') return bookWayOf(size);
  const rows = rowKind === 'trade' ? 'trades' : 'quotes';
  if (rowKind !== 'trade' && (rowKind !== 'observation' || views.some(({ observation }) => observation?.book)))
    return byRow('only quotes, trades and recordings of books are imported by column');
  if (rowKind === 'trade' && views.some(({ trade }) => !trade?.plain)) return byRow('ids of trades are made or cut');
  if (source.hasCells !== true)
    return byRow(
      source.format === 'csv' || source.format === 'parquet'
        ? 'its rows are chosen or completed one by one'
        : `${source.format} files are read by row`,
    );
  return bySize(`${rows} of a file with columns`, size);
};

/** How the books of a recording are stored. What is not plain is read one by one in both ways. */
export const bookWayOf = (size: FileSize): ImportWay => bySize('books of a recording', size);

const bySize = (why: string, { sizeBytes, fromBytes = bulkBytesMin, missing = null }: FileSize): ImportWay => {
  if (sizeBytes < fromBytes) return byRow('the file is small');
  return missing === null ? { isBulk: true, why } : byRow(whyMissing[missing]);
};

const byRow = (why: string): ImportWay => ({ isBulk: false, why });
