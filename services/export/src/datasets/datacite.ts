import { type DatasetResponse, datasetTitle, type ExportManifest } from '@almanac/contracts';

/**
 * A dataset in the JSON of DataCite 4.5, as a repository takes it to register a DOI. It has none itself: its id is an
 * alternate identifier.
 */
export const dataciteOf = (dataset: DatasetResponse): object => {
  const { dataset_id, sha256, bytes, content_type, citation, manifest, year } = dataset;
  const dates = daysOf(manifest);
  return {
    schemaVersion: 'http://datacite.org/schema/kernel-4',
    types: { resourceTypeGeneral: 'Dataset', resourceType: 'Prediction-market data' },
    creators: [{ name: 'Almanac', nameType: 'Organizational' }],
    titles: [{ title: datasetTitle(manifest.query) }],
    publisher: { name: 'Almanac' },
    publicationYear: String(year),
    version: '1.0.0',
    language: 'en',
    alternateIdentifiers: [
      { alternateIdentifier: dataset_id, alternateIdentifierType: 'Almanac dataset' },
      { alternateIdentifier: sha256, alternateIdentifierType: 'SHA-256' },
    ],
    descriptions: [{ description: citation.text, descriptionType: 'Abstract' }],
    ...(dates === undefined ? {} : { dates: [{ date: dates, dateType: 'Collected' }] }),
    sizes: [`${bytes} B`],
    formats: [content_type],
  };
};

/** The UTC days of the file as a range, if its target is a day or days. */
const daysOf = ({ query: { day, from, to } }: ExportManifest): string | undefined => {
  if (day !== null) return `${day}/${day}`;
  return from === undefined || to === undefined ? undefined : `${from}/${to}`;
};
