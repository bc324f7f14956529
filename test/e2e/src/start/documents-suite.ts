import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseEnv, promisify } from 'node:util';
import { findBinary } from '@almanac/local-servers';
import {
  codeUnder,
  commandsUnder,
  differenceFrom,
  type DocumentedCommand,
  pasteIntoBash,
  tourCommands,
  tourPage,
} from './documented-commands.js';
import { repository } from './npm-start.js';

const run = promisify(execFile);
const readme = join(repository, 'README.md');
const tour = join(repository, tourPage);
const operating = join(repository, 'docs', 'operating.md');

/** Pastes commands, checks that each works and answers as shown, and returns the outputs. */
const paste = async (checkout: string, commands: readonly DocumentedCommand[]): Promise<string[]> => {
  const { ALMANAC_HOME: _home, PORT: _port, ...env } = process.env;
  const results = await pasteIntoBash(commands, { cwd: checkout, env });
  for (const { line, answer, output, code } of results) {
    assert.equal(code, 0, `${line}\n${output}`);
    const difference = answer === null ? null : differenceFrom(answer, output);
    assert.equal(difference, null, `${line}\n${difference}\nThe answer is:\n${output}`);
  }
  assert.equal(results.length, commands.length, `it stopped after ${results.at(-1)?.line}`);
  return results.map(({ output }) => output);
};

/** Tests of the commands of the documentation in a checkout whose system runs. */
export const documentsSuite = (checkout: () => string): void => {
  describe('the commands of the documentation', () => {
    it('work as pasted in the tour, and answer as shown', async () => {
      const commands = await tourCommands(repository);
      assert.ok(commands.filter(({ answer }) => answer !== null).length > 30);
      await paste(checkout(), commands);
    });

    it('work as pasted with almanac-data', async () => {
      const outputs = await paste(checkout(), await commandsUnder(tour, 'Use a client'));
      assert.match(outputs.join('\n'), /candles of[\s\S]*Its SHA-256 is right/);
      const file = await readFile(join(checkout(), 'by-shell.parquet'));
      assert.equal(file.subarray(0, 4).toString(), 'PAR1');
    });

    it('work as pasted for limits and sessions', async () => {
      const [first] = await commandsUnder(tour, 'Set up');
      assert.ok(first);
      for (const heading of ['Request limits', 'Sessions for browsers']) {
        const commands = await commandsUnder(operating, heading);
        assert.ok(
          commands.some(({ answer }) => answer !== null),
          heading,
        );
        await paste(checkout(), [first, ...commands]);
      }
    });
  });
  programsSuite(checkout);
};

const programsSuite = (checkout: () => string): void => {
  describe('the programs of the documentation', () => {
    let folder = '';
    let env: NodeJS.ProcessEnv;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'almanac-programs-'));
      const demo = parseEnv(await readFile(join(checkout(), '.almanac', 'demo.env'), 'utf8'));
      env = { ...process.env, ALMANAC_BASE_URL: demo['API'], ALMANAC_API_KEY: demo['KEY'] };
    });
    after(() => rm(folder, { recursive: true, force: true }));

    /** Runs it with Debian's pandas and Matplotlib. */
    const python = async (code: string): Promise<string> => {
      const paths = { PYTHONPATH: join(repository, 'clients', 'python', 'src'), PYTHONDONTWRITEBYTECODE: '1' };
      const drawing = { MPLBACKEND: 'Agg', MPLCONFIGDIR: join(folder, 'matplotlib') };
      const options = { cwd: folder, env: { ...env, ...paths, ...drawing }, timeout: 120_000 };
      return (await run(await findBinary('jupyter/python3'), ['-c', code], options)).stdout;
    };

    it('in Python begin the README, print what it shows and draw its picture', async () => {
      const [code = assert.fail('README.md has no Python')] = await codeUnder(readme, null, 'python');
      const [shown = assert.fail('README.md shows no output')] = await codeUnder(readme, null, 'text');
      const output = await python(code);
      assert.equal(differenceFrom(shown.trim(), output.trim()), null, output);
      assert.equal((await readFile(join(folder, 'market.png'))).subarray(1, 4).toString(), 'PNG');
    });

    it('in Python and TypeScript read and download a market in the tour', async () => {
      const [code = assert.fail()] = await codeUnder(tour, 'Use a client', 'python');
      assert.match(await python(code), /450 rows[\s\S]*by-python\.parquet/);
      const [program = assert.fail()] = await codeUnder(tour, 'Use a client', 'ts');
      // As `npm install <checkout>/clients/typescript` does.
      await mkdir(join(folder, 'node_modules', '@almanac'), { recursive: true });
      await symlink(join(repository, 'clients', 'typescript'), join(folder, 'node_modules', '@almanac', 'client'));
      const options = { cwd: folder, env, timeout: 120_000 };
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], options);
      assert.match(stdout, /\d+ snapshots 0 gaps[\s\S]*\.parquet [\da-f]{64}/);
    });
  });
};

/** They change what the archive holds. */
export const importsSuite = (checkout: () => string): void => {
  describe('the imports of the documentation', () => {
    it('work as pasted for an import', { timeout: 280_000 }, async () => {
      const commands = await commandsUnder(tour, 'Import your own');
      assert.ok(commands.length > 6);
      const outputs = await paste(checkout(), commands);
      const imports = [...commands.entries()].filter(([, { line }]) => line.startsWith('npm run import'));
      assert.ok(imports.length > 3);
      for (const [index, { line }] of imports) {
        assert.match(outputs[index] ?? '', line.includes('--explain') ? /All 1500 rows have:/ : /stored/);
      }
    });
  });
};
