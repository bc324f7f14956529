import type { Bus } from '@almanac/bus';
import { type DatasetChange, DomainError } from '@almanac/contracts';
import { fileSchema, marketVersions } from '../files/file-key.js';
import type { Dataset } from './datasets.js';

const shownMax = 100;

/**
 * What changed in the archive since a dataset was made, by ticker: its markets, their data versions, and the version of
 * the columns. Without a change, the file has the same bytes again.
 */
export const changesSince = async (
  bus: Bus,
  { state, manifest }: Dataset,
  tickers: readonly string[],
): Promise<DatasetChange[]> => {
  const current = await marketVersions(bus, tickers, { nowUs: state.requested_us, withStatus: false });
  const now = new Map(current.map(({ ticker, version }) => [ticker, version]));
  const was = new Map(manifest.markets.map(({ ticker, data_version }) => [ticker, data_version]));
  const isPast = manifest.query.as_of !== undefined;
  const changes: DatasetChange[] = [];
  if (manifest.schema_version !== fileSchema) {
    changes.push({ ticker: null, change: 'schema_version', was: manifest.schema_version, now: fileSchema });
  }
  for (const ticker of [...new Set([...was.keys(), ...now.keys()])].toSorted()) {
    const versions = { was: was.get(ticker) ?? null, now: now.get(ticker) ?? null };
    // Later changes rarely change what was known at a time. If they did, the new file has other bytes and fails.
    const isSame = isPast ? was.has(ticker) && now.has(ticker) : versions.was === versions.now;
    const shown = isPast ? { was: null, now: null } : versions;
    if (!isSame) changes.push({ ticker, change: kindOf(was.has(ticker), now.has(ticker)), ...shown });
  }
  return changes;
};

const kindOf = (was: boolean, now: boolean): DatasetChange['change'] => {
  if (!was) return 'added';
  return now ? 'data_version' : 'removed';
};

/** The bytes of a new file differ although no data changed, so the dataset cannot be made again. */
export const otherBytes: DatasetChange = { ticker: null, change: 'bytes', was: null, now: null };

export const datasetChanged = (changes: readonly DatasetChange[]): DomainError =>
  new DomainError(
    'dataset_changed',
    'The file of this dataset is no longer stored, and it cannot be made again with the same bytes. `changes` lists what changed since.',
    { more: { changes: changes.slice(0, shownMax), changes_n: changes.length } },
  );
