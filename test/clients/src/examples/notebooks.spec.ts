import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { codeOf, notebookPaths, readNotebook } from './notebooks.js';

const nameOf = (path: string): string => basename(path).replace(/\.\w+$/, '');

describe('the notebooks of the examples', async () => {
  const paths = await notebookPaths();

  it('are the same four as the programs', async () => {
    const programs = await readdir(fileURLToPath(new URL('../../../../examples/typescript/src/', import.meta.url)));
    assert.deepEqual(paths.map(nameOf).toSorted(), programs.map(nameOf).toSorted());
    assert.equal(paths.length, 4);
  });

  for (const path of paths) {
    it(`${nameOf(path)} has no outputs, begins with its story, and ends with a check`, async () => {
      const notebook = await readNotebook(path);
      for (const { outputs, execution_count } of codeOf(notebook)) {
        assert.deepEqual([outputs, execution_count], [[], null]);
      }
      assert.match(notebook.cells[0]?.source ?? '', /^# /);
      assert.match(codeOf(notebook).at(-1)?.source ?? '', /^assert /m);
      // A key in a notebook would be published with it.
      assert.ok(!JSON.stringify(notebook).includes('ak_live_'));
    });
  }
});
