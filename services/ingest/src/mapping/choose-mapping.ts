import { ImportError } from '../errors.js';
import type { SourceFormat } from '../sources/source.js';
import { isForFormat } from './declared-times.js';
import type { Mapping } from './mapping.js';

export interface FoundHeader {
  readonly file: string;
  readonly format: SourceFormat;
  readonly columns: readonly string[];
}

/**
 * The mapping whose declared columns the file has. If several fit, the one with the most columns wins, so a narrow
 * mapping does not take the file of a closer one. Throws an `ImportError` that names the file and the missing columns.
 */
export const chooseMapping = (found: FoundHeader, mappings: readonly Mapping[]): Mapping => {
  const fitting = fittingMapping(found, mappings);
  if (fitting) return fitting;
  const missingByMapping = mappings.map((candidate) => {
    const missing = missingColumns(candidate, found);
    return `  ${candidate.name} (${candidate.format ?? 'any format'}): ${missing.length === 0 ? 'different format' : `missing ${missing.join(', ')}`}`;
  });
  throw new ImportError(
    `${found.file}: no built-in mapping matches these columns: ${listed(found.columns)}. ` +
      `Name a mapping with --mapping FILE. Built-in mappings:\n${missingByMapping.join('\n')}`,
  );
};

export const fittingMapping = (found: FoundHeader, mappings: readonly Mapping[]): Mapping | undefined =>
  mappings
    .filter((candidate) => isForFormat(candidate, found.format) && missingColumns(candidate, found).length === 0)
    .toSorted((a, b) => b.match.columns.length - a.match.columns.length)[0];

/** Why a mapping does not describe a file, as part of a sentence. Null if it does. */
export const mismatchOf = (found: FoundHeader, mapping: Mapping): string | null => {
  if (!isForFormat(mapping, found.format))
    return `the file is ${found.format}, but the mapping ${mapping.name} is for ${mapping.format}`;
  const missing = missingColumns(mapping, found);
  if (missing.length === 0) return null;
  return (
    `the mapping ${mapping.name} needs the missing columns ${missing.join(', ')}. ` +
    `The file has: ${listed(found.columns)}`
  );
};

export const missingColumns = (candidate: Mapping, found: Pick<FoundHeader, 'columns'>): readonly string[] => {
  const there = new Set(found.columns);
  // An object is a column of its own for what reads it whole.
  const isObject = (name: string): boolean => found.columns.some((column) => column.startsWith(`${name}.`));
  return candidate.match.columns.filter((name) => !there.has(name) && !isObject(name));
};

/** Columns as part of a sentence. */
export const listed = (columns: readonly string[], most = 40): string =>
  columns.length <= most
    ? columns.join(', ')
    : `${columns.slice(0, most).join(', ')} and ${columns.length - most} more`;
