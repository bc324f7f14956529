import { createHash } from 'node:crypto';
import { z } from 'zod';
import { eventTypesOf } from '../events/events.js';
import { exportFormats } from './export-formats.js';
import { exportManifest, type ExportManifest, type ExportQuery, exportResponse } from './exports.js';
import { counted, isoOf, micros, microsOf } from '../requests/numbers.js';
import { citation, type Citation } from './citation.js';

const count = z.int().min(0);

/** Hex digits of a dataset id: 128 bits. */
const digits = 32;

/**
 * The id of the dataset that a file with this SHA-256 is. What a file as of a time claims is not in all its bytes, so the id
 * also has the time (docs/decisions/127-datasets-as-of.md).
 */
export const datasetIdOf = (sha256: string, asOf: number | undefined): string => {
  const identity = asOf === undefined ? sha256 : createHash('sha256').update(`${sha256} as of ${asOf}`).digest('hex');
  return `ds-${identity.slice(0, digits)}`;
};

/** Whether a text can be the id of a dataset. */
export const isDatasetId = (text: string): boolean => /^ds-[0-9a-f]{32}$/.test(text);

/**
 * A file that was ready once: the state of `evt.file.dataset.<id>`. It never changes and names no account, because
 * everybody who has the id can read it. The file itself can be lost, or be replaced by one of newer data.
 */
export const datasetState = z.object({
  id: z.string(),
  sha256: z.string(),
  bytes: count,
  /** The file that had these bytes, `evt.file.<key>`. */
  file_key: z.string(),
  /** The time that decided which markets were live. A file that is made again uses it again. */
  requested_us: micros,
  made_us: micros,
  /** An `exportManifest` as gzipped JSON in base64. */
  manifest: z.base64(),
});
eventTypesOf(datasetState, ['DatasetRecorded']);
export type DatasetState = z.infer<typeof datasetState>;

export const datasetResponse = z
  .object({
    dataset_id: z.string().meta({
      description:
        'Id of the dataset: `ds-` and the first 32 digits of `sha256`. With `as_of`, 32 digits that follow from both',
      examples: ['ds-9f86d081884c7d659a2feaa0c55ad015'],
    }),
    sha256: z.string().meta({ description: 'SHA-256 of the file in hexadecimal' }),
    bytes: count.meta({ description: 'Size of the file in bytes', examples: [90_103] }),
    format: exportResponse.shape.format,
    content_type: z.string().meta({ description: 'Media type of the file', examples: ['text/csv'] }),
    row_count: count.meta({ description: 'Number of rows in the file', examples: [450] }),
    markets: count.meta({ description: 'Number of markets in the file', examples: [1] }),
    year: z.int().meta({ description: 'UTC year in which the file was first made', examples: [2026] }),
    citation,
    manifest: exportManifest.meta({
      description:
        'Target and options of the export, the data version of each market, known gaps, and the version of the columns',
    }),
  })
  .meta({
    id: 'DatasetResponse',
    description: 'A file that can be cited. It shows what the file contains, and never who made or bought it.',
  });
export type DatasetResponse = z.infer<typeof datasetResponse>;

/** What differs between a dataset and the archive as it is now. */
const datasetChange = z
  .object({
    ticker: z
      .string()
      .nullable()
      .meta({ description: 'Ticker of the market. Null if the change is of the whole file' }),
    change: z.enum(['data_version', 'added', 'removed', 'schema_version', 'bytes']).meta({
      description:
        '`data_version`: the data of the market changed. `added`: the target has this market only now. `removed`: the target no longer has it. `schema_version`: the columns changed. `bytes`: a new file has other bytes',
      examples: ['data_version'],
    }),
    was: count.nullable().meta({ description: 'Version in the dataset, otherwise null', examples: [12] }),
    now: count.nullable().meta({ description: 'Version now, otherwise null', examples: [13] }),
  })
  .meta({ id: 'DatasetChange', description: 'A difference between a dataset and the archive.' });
export type DatasetChange = z.infer<typeof datasetChange>;

/** The fields of the error `dataset_changed`. */
export const datasetChanges = {
  changes: z.array(datasetChange).meta({ description: 'What changed, by ticker. At most the first 100' }),
  changes_n: count.meta({ description: 'Total number of changes', examples: [1] }),
};

/**
 * The forms of a dataset and their media types. The first is the default. The others are standards: Croissant of MLCommons,
 * and the JSON of DataCite.
 */
export const datasetForms = {
  json: 'application/json',
  croissant: 'application/ld+json',
  datacite: 'application/vnd.datacite.datacite+json',
} as const;
export const datasetForm = z.enum(['json', 'croissant', 'datacite']);
export type DatasetForm = z.infer<typeof datasetForm>;

/** A dataset as the API shows it. */
export const presentDataset = (state: DatasetState, manifest: ExportManifest): DatasetResponse => {
  const { id, sha256, bytes, made_us: madeUs } = state;
  const { query, row_count, markets } = manifest;
  const year = new Date(madeUs / 1_000).getUTCFullYear();
  return {
    dataset_id: id,
    sha256,
    bytes,
    format: query.format,
    content_type: exportFormats[query.format].contentType,
    row_count,
    markets: markets.length,
    year,
    citation: citationOf({ id, sha256, year, manifest }),
    manifest,
  };
};

interface Cited {
  readonly id: string;
  readonly sha256: string;
  readonly year: number;
  readonly manifest: ExportManifest;
}

const citationOf = ({ id, sha256, year, manifest }: Cited): Citation => {
  const { query, row_count: rows, markets } = manifest;
  const title = datasetTitle(query);
  const what = `Data set, ${exportFormats[query.format].label}, ${counted(rows, 'row')} of ${counted(markets.length, 'market')}`;
  const where = `GET /api/v1/datasets/${id}`;
  const fields = [
    ['author', '{Almanac}'],
    ['title', `{${inBibtex(title)}}`],
    ['year', String(year)],
    ['note', `${what}. ${id}. SHA-256 ${sha256}`],
    ['howpublished', `Almanac, ${where}`],
  ];
  const lines = fields.map(([name, value]) => `  ${name} = {${value}}`);
  return {
    text: `Almanac (${year}). ${title}. ${what}. ${id}, SHA-256 ${sha256}. ${where}`,
    bibtex: `@misc{${id},\n${lines.join(',\n')}\n}\n`,
  };
};

/** A short title, such as `KXBTC15M-26FEB242330: snapshots, settlement`. */
export const datasetTitle = (query: ExportQuery): string => {
  const asOf = query.as_of === undefined ? '' : `, as of ${citedTime(microsOf(query.as_of))}`;
  return `${targetTitle(query)}: ${query.streams.join(', ')}${asOf}`;
};

const targetTitle = ({ event, ticker, series, day, from, to, events, tickers }: ExportQuery): string => {
  if (from !== undefined && to !== undefined) return `${series}, ${from} to ${to}`;
  if (day !== null) return `${series}, ${day}`;
  const list = events ?? tickers;
  if (list !== undefined) return `${list[0]} and ${list.length - 1} more`;
  return ticker ?? event ?? '';
};

const bibtexSigns: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash ',
  '~': '\\textasciitilde ',
  '^': '\\textasciicircum ',
};

/** A text whose characters BibTeX and LaTeX show as they are. Braces must match in BibTeX, so they become parentheses. */
const inBibtex = (text: string): string =>
  text
    .replaceAll(/[\\~^&%$#_]/g, (sign) => bibtexSigns[sign] ?? `\\${sign}`)
    .replaceAll('{', '(')
    .replaceAll('}', ')');

/** Citations of whole milliseconds have three digits, as all that were published before. */
const citedTime = (us: number): string => (us % 1_000 === 0 ? new Date(us / 1_000).toISOString() : isoOf(us));
