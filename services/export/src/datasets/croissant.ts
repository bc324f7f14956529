import { type DatasetResponse, datasetTitle } from '@almanac/contracts';
import { filenameOf } from '../files/filename.js';
import { fileColumns } from '../files/file-columns.js';
import { fileSchema } from '../files/file-key.js';
import type { ColumnType } from '../files/row-columns.js';
import { croissantContext } from './croissant-context.js';

/** A time is a number of seconds in CSV and a timestamp in Parquet. Loaders have no integer that may be missing. */
const types: Readonly<Record<'csv' | 'parquet', Readonly<Record<ColumnType, string>>>> = {
  csv: { text: 'sc:Text', whole: 'sc:Float', number: 'sc:Float', time: 'sc:Float', levels: 'sc:Text' },
  parquet: { text: 'sc:Text', whole: 'sc:Float', number: 'sc:Float', time: 'sc:DateTime', levels: 'sc:Text' },
};

/** Loaders do not know the registered media type of Parquet. */
const loadersParquet = 'application/x-parquet';

/**
 * A dataset in MLCommons Croissant 1.0. The file is named relative to the metadata: whoever stores both in one folder can load
 * its rows. An address would not be enough, because the file is an export that must be paid for.
 */
export const croissantOf = (dataset: DatasetResponse): object => {
  const { dataset_id, sha256, bytes, format, content_type, citation, manifest, year } = dataset;
  const name = filenameOf(manifest.query);
  return {
    '@context': croissantContext,
    '@type': 'sc:Dataset',
    conformsTo: 'http://mlcommons.org/croissant/1.0',
    name: datasetTitle(manifest.query),
    description: citation.text,
    identifier: dataset_id,
    url: `/api/v1/datasets/${dataset_id}`,
    citeAs: citation.bibtex,
    creator: { '@type': 'sc:Organization', name: 'Almanac' },
    datePublished: String(year),
    version: '1.0.0',
    distribution: [
      {
        '@type': 'cr:FileObject',
        '@id': name,
        name,
        contentUrl: name,
        contentSize: `${bytes} B`,
        encodingFormat: format === 'parquet' ? loadersParquet : content_type,
        sha256,
      },
    ],
    ...recordsOf(dataset, name),
  };
};

/** Only tables whose columns are known: those of this version, in formats that have columns. */
const recordsOf = ({ manifest, format }: DatasetResponse, file: string): object => {
  if ((format !== 'csv' && format !== 'parquet') || manifest.schema_version !== fileSchema) return {};
  const field = fileColumns(manifest.query).map(({ name, type }) => ({
    '@type': 'cr:Field',
    '@id': `rows/${name}`,
    name,
    dataType: types[format][type],
    source: { fileObject: { '@id': file }, extract: { column: name } },
  }));
  return { recordSet: [{ '@type': 'cr:RecordSet', '@id': 'rows', name: 'rows', field }] };
};
