import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findBinary } from '@almanac/local';
import { storeGeneratedArchive } from '@almanac/system';
import { startHarness, type SystemHarness } from '@almanac/test-e2e';
import { codeOf, notebookPaths, pythonClient, readNotebook, runner } from './notebooks.js';

const exampleMs = 120_000;
const programs = new URL('../../../examples/typescript/src/', import.meta.url);

describe('the examples', async () => {
  let running: SystemHarness;
  let folder: string;
  let variables: Record<string, string>;
  before(async () => {
    running = await startHarness();
    await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
    folder = await mkdtemp(join(tmpdir(), 'almanac-examples-'));
    variables = {
      ALMANAC_BASE_URL: running.system.baseUrls[0],
      ALMANAC_API_KEY: await running.key('full_book'),
      TMPDIR: folder,
    };
  });
  after(async () => {
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const run = async (command: string, args: readonly string[], more: Record<string, string> = {}) => {
    const env = { ...process.env, ...variables, ...more };
    const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: exampleMs });
    const exited = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve);
    });
    const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
    return { code, output: out + errors };
  };

  /** Runs all cells in order. The files of Jupyter and Matplotlib stay in the folder. */
  const runNotebook = async (path: string) => {
    const result = join(folder, basename(path));
    const ended = await run(await findBinary('jupyter/python3'), [runner, path, result], {
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

  for (const file of await readdir(programs)) {
    const name = file.replace(/\.ts$/, '');
    it(`${name} runs as a program`, async () => {
      const program = fileURLToPath(new URL(`../dist/${name}.js`, programs));
      const { code, output } = await run(process.execPath, ['--enable-source-maps', program]);
      assert.equal(code, 0, output);
    });
  }

  it('event-on-one-clock has drawn a line for each strike', async () => {
    const chart = await readFile(join(folder, 'event.svg'), 'utf8');
    const paths = chart.match(/<path d="M[\d.L M]+"/g) ?? [];
    assert.equal(paths.length, 9);
  });

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
