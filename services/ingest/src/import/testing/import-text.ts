import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { everyChangeUs } from '@almanac/contracts';
import { parseMapping } from '../../mapping/load-mapping.js';
import { runImport } from '../run-import.js';
import { withFolder } from './import-paths.js';
import { memoryArchive } from './memory-archive.js';

/** Imports lines of text by a mapping, as often as `times` says, into one archive in memory. */
export const importText = (
  mapping: string,
  lines: readonly string[],
  { exact = false, times = 1, name = 'rows.csv', sampleUs = everyChangeUs } = {},
) =>
  withFolder(async (folder) => {
    const into = memoryArchive();
    const path = join(folder, name);
    await writeFile(path, lines.join('\n'));
    const options = { exact, refusedFolder: folder, startedAt: new Date(0), sampleUs };
    const mappings = parseMapping(mapping, 'mine.yaml');
    for (let time = 1; ; time += 1) {
      const { reports } = await runImport([path], { ...options, archive: into.archive, mappings });
      const [report] = reports;
      assert.ok(report);
      if (time >= times) return { ...into, report };
    }
  });

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
