// Jupyter starts a kernel for each notebook, which takes most of a minute. The same four examples in TypeScript run with every
// change, and so do the calls of the Python client.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { findBinary } from '@almanac/local-servers';
import { useClientsSystem } from '../clients-system.js';
import { pythonClient } from '../python/python.js';
import { codeOf, notebookPaths, readNotebook, runner } from './notebooks.js';
import { runExample } from './run-example.js';

describe('the examples in notebooks', async () => {
  const clients = useClientsSystem();
  let folder: string;
  before(async () => {
    folder = await clients().makeFolder();
  });

  /** Runs all cells in order. The files of Jupyter and Matplotlib stay in the folder. */
  const runNotebook = async (path: string) => {
    const result = join(folder, basename(path));
    const ended = await runExample([await findBinary('jupyter/python3'), runner, path, result], folder, clients(), {
      PYTHONPATH: pythonClient,
      PYTHONDONTWRITEBYTECODE: '1',
      // The kernel warns about frozen modules, which only a debugger needs.
      PYDEVD_DISABLE_FILE_VALIDATION: '1',
      IPYTHONDIR: join(folder, 'ipython'),
      JUPYTER_CONFIG_DIR: join(folder, 'jupyter'),
      JUPYTER_RUNTIME_DIR: join(folder, 'runtime'),
      MPLCONFIGDIR: join(folder, 'matplotlib'),
    });
    return { ...ended, notebook: await readNotebook(result) };
  };

  for (const path of await notebookPaths()) {
    it(`${basename(path, '.ipynb')} runs as a notebook from top to bottom`, async () => {
      const { code, output, notebook } = await runNotebook(path);
      assert.equal(code, 0, output);
      const counts = codeOf(notebook).map(({ execution_count }) => execution_count);
      assert.deepEqual(
        counts,
        counts.map((_, at) => at + 1),
      );
      const kinds = codeOf(notebook).flatMap(({ outputs }) => outputs.flatMap(({ data }) => Object.keys(data ?? {})));
      assert.equal(kinds.includes('image/png'), path.endsWith('event-on-one-clock.ipynb'));
    });
  }

  it('a notebook with a cell that fails ends with its error', async () => {
    const path = join(folder, 'failing.ipynb');
    const code = { cell_type: 'code', id: 'a', metadata: {}, outputs: [], execution_count: null };
    const cells = [{ ...code, source: ['assert 1 == 2, "this cell fails"'] }];
    const metadata = { kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' } };
    await writeFile(path, JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata, cells }));
    const { code: exit, output } = await runNotebook(path);
    assert.equal(exit, 1);
    assert.match(output, /this cell fails/);
  });
});
