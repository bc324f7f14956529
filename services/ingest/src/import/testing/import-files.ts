import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { everyChangeUs } from '@almanac/contracts';
import type { Archive } from '../../archive.js';
import { loadBuiltInMappings, parseMapping } from '../../mapping/load-mapping.js';
import type { ImportOptions } from '../import-file.js';
import type { FileReport } from '../../intake/report.js';
import { runImport } from '../run-import.js';
import { type MemoryArchive, memoryArchive } from './memory-archive.js';
import { withFolder } from './with-folder.js';

/** A function that makes its value at the first call. */
export const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};

export interface TestImport {
  readonly into?: MemoryArchive;
  /** An archive in front of `into`, such as one that fails. Without it, the import must not be aborted. */
  readonly archive?: Archive;
  /** The text of one mapping. The built-in mappings without it. */
  readonly mapping?: string;
  readonly exact?: boolean;
  readonly sampleUs?: number;
  readonly sequence?: ImportOptions['sequence'];
  readonly bulkFromBytes?: number;
  /** The folder of refused rows and of the list of what waits. Default: one of this import alone. */
  readonly home?: string;
  /** How often the import runs. The result has the reports of the last run. */
  readonly times?: number;
}

const builtIn = once(loadBuiltInMappings);

/** Imports files or folders into an archive in memory. The reports name each file by the end of its path. */
export const importPaths = async (
  paths: readonly string[],
  {
    into = memoryArchive(),
    archive,
    mapping,
    exact = false,
    sampleUs = everyChangeUs,
    times = 1,
    sequence,
    bulkFromBytes,
    home,
  }: TestImport = {},
) =>
  withFolder(async (folder) => {
    const refusedFolder = home ?? folder;
    const mappings = mapping === undefined ? await builtIn() : parseMapping(mapping, 'mine.yaml');
    const mappingFile = mapping === undefined ? null : join(refusedFolder, 'mine.yaml');
    if (mapping !== undefined && mappingFile !== null) await writeFile(mappingFile, mapping);
    const lines: string[] = [];
    const onLine = (line: string): void => void lines.push(line);
    const how = {
      mappings,
      mappingFile,
      exact,
      sampleUs,
      ...(sequence && { sequence }),
      ...(bulkFromBytes !== undefined && { bulkFromBytes }),
    };
    const options = { ...how, refusedFolder, startedAt: new Date(0), onLine };
    for (let time = 1; ; time += 1) {
      const { reports, aborted } = await runImport(paths, { ...options, archive: archive ?? into.archive });
      if (archive === undefined) assert.equal(aborted, null);
      if (time < times) continue;
      const refused = (await Promise.all(reports.map(refusedLines))).flat();
      const named = reports.map((report) => ({ ...report, file: report.file.split('/').at(-1) ?? '' }));
      return { ...into, reports: named, refused, aborted, lines };
    }
  });

const refusedLines = async ({ refusedFile }: FileReport): Promise<readonly unknown[]> => {
  if (refusedFile === null) return [];
  const lines = (await readFile(refusedFile, 'utf8')).split('\n').slice(0, -1);
  return lines.map((line): unknown => JSON.parse(line));
};

/** Imports one path, and asserts that its report has no error. */
export const importPath = async (path: string, options?: TestImport) => {
  const { reports, ...result } = await importPaths([path], options);
  const [report] = reports;
  assert.ok(report && reports.length === 1);
  assert.equal(report.error, null);
  return { ...result, report };
};

/** Writes files by their names, and imports them in this order. */
export const importFiles = (files: Readonly<Record<string, string | Uint8Array>>, options?: TestImport) =>
  withFolder(async (folder) => {
    const paths = Object.keys(files).map((name) => join(folder, name));
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    const result = await importPaths(paths, options);
    const [report] = result.reports;
    assert.ok(report);
    return { ...result, report };
  });

/** Imports lines of text by a mapping. */
export const importText = (
  mapping: string,
  lines: readonly string[],
  { name = 'rows.csv', ...options }: TestImport & { readonly name?: string } = {},
) => importFiles({ [name]: lines.join('\n') }, { mapping, ...options });

/** What `parseMapping` says about a mapping. Empty if it is valid. */
export const mappingRefusal = (...fields: readonly string[]): string => {
  const head = ['name: x', 'format: csv', 'match: { columns: [a] }', 'fields:', '  ticker: { column: a }'];
  try {
    parseMapping([...head, ...fields].join('\n'), 'x.yaml');
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return '';
};
