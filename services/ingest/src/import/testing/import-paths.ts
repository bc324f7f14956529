import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyChangeUs } from '@almanac/contracts';
import { loadBuiltInMappings } from '../../mapping/load-mapping.js';
import { memoryArchive } from './memory-archive.js';
import { runImport } from '../run-import.js';

/** Runs work in a temporary folder. */
export const withFolder = async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'almanac-import-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Imports files or folders into an archive in memory. The reports name each file by the end of its path. */
export const importPaths = async (
  paths: readonly string[],
  { into = memoryArchive(), sampleUs = everyChangeUs } = {},
) =>
  withFolder(async (refusedFolder) => {
    const mappings = await loadBuiltInMappings();
    const options = { archive: into.archive, mappings, refusedFolder, sampleUs, startedAt: new Date(0) };
    const { reports, aborted } = await runImport(paths, options);
    assert.equal(aborted, null);
    return { ...into, reports: reports.map((report) => ({ ...report, file: report.file.split('/').at(-1) ?? '' })) };
  });

/** Imports one path, and asserts that its report has no error. */
export const importPath = async (path: string, options: Parameters<typeof importPaths>[1] = {}) => {
  const { reports, ...into } = await importPaths([path], options);
  const [report] = reports;
  assert.ok(report);
  assert.equal(report.error, null);
  return { ...into, report };
};
