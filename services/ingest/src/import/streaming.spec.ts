import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Archive, dryRunArchive } from '../archive.js';
import { parseMapping } from '../mapping/load-mapping.js';
import { runImport } from './run-import.js';
import { largeLevels, largePage, largeTicks } from './testing/large-files.js';
import { withFolder } from './testing/with-folder.js';

describe('what is read is sent on before half of the file is read', () => {
  for (const { name, mapping, write } of [largeTicks, largePage, largeLevels])
    it(name, () =>
      withFolder(async (folder) => {
        const path = join(folder, name);
        await write(path, 4_000_000);
        let [calls, callsBeforeHalf] = [0, 0];
        const archive: Archive = {
          ...dryRunArchive,
          storeObservations: () => Promise.resolve(void (calls += 1)),
          recordCatalogue: (facts) => {
            calls += 1;
            return dryRunArchive.recordCatalogue(facts);
          },
        };
        const { reports } = await runImport([path], {
          archive,
          mappings: mapping === undefined ? [] : parseMapping(mapping, 'mine.yaml'),
          refusedFolder: folder,
          startedAt: new Date(0),
          onProgress: ({ bytesRead, sizeBytes }) => {
            if (bytesRead < sizeBytes / 2) callsBeforeHalf = calls;
          },
        });
        assert.equal(reports[0]?.error, null);
        assert.ok(callsBeforeHalf > 0, `${calls} calls, none of them before half of the file was read`);
      }),
    );
});
