import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { codeUnder, commandsUnder, differenceFrom, tourCommands, tourPage } from './documented-commands.js';
import { repository } from './npm-start.js';
import { paste, type Programs, programsFor } from './run-documented.js';

const readme = join(repository, 'README.md');
const tour = join(repository, tourPage);
const operating = join(repository, 'docs', 'operating.md');

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
    let programs: Programs;
    before(async () => {
      programs = await programsFor(checkout());
    });
    after(() => programs.remove());

    it('in Python begin the README, print what it shows and draw its picture', async () => {
      const [code = assert.fail('README.md has no Python')] = await codeUnder(readme, null, 'python');
      const [shown = assert.fail('README.md shows no output')] = await codeUnder(readme, null, 'text');
      const output = await programs.python(code);
      assert.equal(differenceFrom(shown.trim(), output.trim()), null, output);
      assert.equal((await readFile(join(programs.folder, 'market.png'))).subarray(1, 4).toString(), 'PNG');
    });

    it('in Python and TypeScript read and download a market in the tour', async () => {
      const [code = assert.fail()] = await codeUnder(tour, 'Use a client', 'python');
      assert.match(await programs.python(code), /450 rows[\s\S]*by-python\.parquet/);
      const [program = assert.fail()] = await codeUnder(tour, 'Use a client', 'ts');
      const stdout = await programs.typescript(program);
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
