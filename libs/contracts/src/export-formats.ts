import { z } from 'zod';

export const exportFormatIds = ['csv', 'parquet', 'json', 'jsonl.gz'] as const;
export const exportFormatId = z.enum(exportFormatIds);
export type ExportFormatId = z.infer<typeof exportFormatId>;
export const exportStreams = ['snapshots', 'settlement', 'l2', 'trades'] as const;
export const exportStream = z.enum(exportStreams);
export type ExportStream = z.infer<typeof exportStream>;

/** Label, matching programs, content type and file extension of each format. */
export const exportFormats: Readonly<Record<ExportFormatId, { label: string; opens_in: string; contentType: string }>> =
  {
    csv: { label: 'CSV', opens_in: 'Excel, pandas, R, DuckDB and any text editor', contentType: 'text/csv' },
    parquet: {
      label: 'Parquet',
      opens_in: 'pandas, Polars, DuckDB, Spark and ClickHouse',
      contentType: 'application/vnd.apache.parquet',
    },
    json: { label: 'JSON', opens_in: 'any language, as one array', contentType: 'application/json' },
    'jsonl.gz': {
      label: 'JSON lines, gzipped',
      opens_in: 'pandas, DuckDB, jq and any language, a row at a time',
      contentType: 'application/gzip',
    },
  };

export const formatShown = exportFormatId.meta({ description: 'File format', examples: ['csv'] });

const exportFormat = z
  .object({
    id: formatShown,
    label: z.string().meta({ description: 'Display name', examples: ['CSV'] }),
    opens_in: z
      .string()
      .meta({ description: 'Programs that can open the format', examples: ['Excel, pandas, R and DuckDB'] }),
  })
  .meta({ id: 'ExportFormat' });
export const exportFormatsResponse = z
  .object({ formats: z.array(exportFormat).meta({ description: 'All file formats' }) })
  .meta({ id: 'ExportFormatsResponse' });
