import { z } from 'zod';

/** Files of these formats have a table with a row for each observation, trade or market. */
export const tableFormatIds = ['csv', 'parquet', 'json', 'jsonl.gz'] as const;
export type TableFormatId = (typeof tableFormatIds)[number];
/** Formats of backtest engines. Each of their rows is a change of one price level, or a trade. */
export const engineFormatIds = ['hftbacktest', 'tardis_csv'] as const;
export const exportFormatIds = [...tableFormatIds, ...engineFormatIds] as const;
const exportFormatId = z.enum(exportFormatIds);
export type ExportFormatId = z.infer<typeof exportFormatId>;
export const exportStreams = ['snapshots', 'settlement', 'l2', 'trades', 'sizes', 'candles'] as const;
export const exportStream = z.enum(exportStreams);
export type ExportStream = z.infer<typeof exportStream>;

/** The tables with rows for files, in the order in which a file has their rows of one time. */
const rowTables = ['snapshots', 'trades', 'venue_candles'] as const;
export type RowTable = (typeof rowTables)[number];
const rowNames: Readonly<Record<RowTable, string>> = {
  snapshots: 'observations',
  trades: 'trades',
  venue_candles: 'venue candles',
};

const tableOfStream: Readonly<Record<ExportStream, RowTable | null>> = {
  snapshots: 'snapshots',
  settlement: null,
  l2: 'snapshots',
  trades: 'trades',
  sizes: 'snapshots',
  candles: 'venue_candles',
};

/** The tables whose rows a file of these streams has. Settlement alone has none, and a row for each market. */
export const tablesOf = (streams: readonly ExportStream[]): readonly RowTable[] => {
  const tables = new Set(streams.map((stream) => tableOfStream[stream]));
  return rowTables.filter((table) => tables.has(table));
};

/** What a day without any row of these streams lacks. */
export const missingRowsOf = (streams: readonly ExportStream[]): string =>
  tablesOf(streams)
    .map((table) => rowNames[table])
    .join(' or ') || 'settlements';

interface FormatOfFiles {
  readonly label: string;
  /** Programs that can open the format. */
  readonly opens_in: string;
  readonly contentType: string;
  /** The end of a file name, after a dot. */
  readonly extension: string;
}

export const isEngineFormat = (format: ExportFormatId): boolean => engineFormatIds.some((id) => id === format);

export const exportFormats: Readonly<Record<ExportFormatId, FormatOfFiles>> = {
  csv: {
    label: 'CSV',
    opens_in: 'Excel, pandas, R, DuckDB and any text editor',
    contentType: 'text/csv',
    extension: 'csv',
  },
  parquet: {
    label: 'Parquet',
    opens_in: 'pandas, Polars, DuckDB, Spark and ClickHouse',
    contentType: 'application/vnd.apache.parquet',
    extension: 'parquet',
  },
  json: {
    label: 'JSON',
    opens_in: 'any language, as one array',
    contentType: 'application/json',
    extension: 'json',
  },
  'jsonl.gz': {
    label: 'JSON lines, gzipped',
    opens_in: 'pandas, DuckDB, jq and any language, a row at a time',
    contentType: 'application/gzip',
    extension: 'jsonl.gz',
  },
  hftbacktest: {
    label: 'hftbacktest events',
    opens_in: 'hftbacktest and NumPy, as the array `data` of an npz file',
    contentType: 'application/zip',
    extension: 'npz',
  },
  tardis_csv: {
    label: 'CSV in the columns of Tardis.dev',
    opens_in: 'programs that read `incremental_book_L2` and `trades` of Tardis.dev',
    contentType: 'text/csv',
    extension: 'tardis.csv',
  },
};

export const formatShown = exportFormatId.meta({
  description:
    'File format. Two are for backtest engines: `hftbacktest` has one `ticker` with the streams `l2`, `trades` or both, and `tardis_csv` has either the stream `l2` or `trades`',
  examples: ['csv'],
});

const shown = {
  label: z.string().meta({ description: 'Display name', examples: ['CSV'] }),
  opens_in: z
    .string()
    .meta({ description: 'Programs that can open the format', examples: ['Excel, pandas, R and DuckDB'] }),
};
/** Engine formats have a field of their own, because clients of the specification know only the four table formats. */
export const exportFormatsResponse = z
  .object({
    formats: z
      .array(
        z
          .object({ id: z.enum(tableFormatIds).meta({ description: 'File format', examples: ['csv'] }), ...shown })
          .meta({ id: 'ExportFormat' }),
      )
      .meta({ description: 'The file formats with a row for each observation, trade or market' }),
    engine_formats: z
      .array(
        z
          .object({
            id: z.enum(engineFormatIds).meta({ description: 'File format', examples: ['hftbacktest'] }),
            ...shown,
          })
          .meta({ id: 'EngineFormat' }),
      )
      .meta({
        description: 'The file formats of backtest engines, in which each row is a change of a price level, or a trade',
      }),
  })
  .meta({ id: 'ExportFormatsResponse' });
