import { ImportError } from '../errors.js';
import type { Mapping } from './mapping.js';

export interface FoundHeader {
  readonly file: string;
  readonly format: Mapping['format'];
  readonly columns: readonly string[];
}

/**
 * The mapping whose declared columns the file has: the first in which most columns are declared, so that a narrow
 * mapping does not take the file of a closer one. Throws an `ImportError` that names the file and what was looked for.
 */
export const chooseMapping = (found: FoundHeader, mappings: readonly Mapping[]): Mapping => {
  const fitting = mappings
    .filter((candidate) => candidate.format === found.format && missingColumns(candidate, found).length === 0)
    .toSorted((a, b) => b.match.columns.length - a.match.columns.length);
  if (fitting[0]) return fitting[0];
  const wanted = mappings.map((candidate) => {
    const missing = missingColumns(candidate, found);
    return `  ${candidate.name} (${candidate.format}): ${missing.length === 0 ? 'another format' : `misses ${missing.join(', ')}`}`;
  });
  throw new ImportError(
    `${found.file}: no mapping knows these columns: ${listed(found.columns)}. ` +
      `Give one with --mapping FILE. Looked for:\n${wanted.join('\n')}`,
  );
};

/** Throws an `ImportError` when the mapping that was asked for does not describe the file. */
export const requireMapping = (found: FoundHeader, wanted: Mapping): Mapping => {
  if (found.format !== wanted.format)
    throw new ImportError(`${found.file}: is ${found.format}, the mapping ${wanted.name} describes ${wanted.format}`);
  const missing = missingColumns(wanted, found);
  if (missing.length === 0) return wanted;
  throw new ImportError(
    `${found.file}: has no column ${missing.join(', ')}, which the mapping ${wanted.name} names; ` +
      `its columns are: ${listed(found.columns)}`,
  );
};

const missingColumns = (candidate: Mapping, found: FoundHeader): readonly string[] => {
  const there = new Set(found.columns);
  return candidate.match.columns.filter((name) => !there.has(name));
};

const listed = (columns: readonly string[]): string =>
  columns.length <= 40 ? columns.join(', ') : `${columns.slice(0, 40).join(', ')} and ${columns.length - 40} more`;
