import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { commandsUnder, differenceFrom, type DocumentedCommand, pasteIntoBash } from './documented-commands.js';
import { repository } from './npm-start.js';

const readme = join(repository, 'README.md');
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
      const tour = await commandsUnder(readme, 'A tour');
      assert.ok(tour.length > 12);
      await paste(checkout(), tour);
    });

    it('work as pasted with curl and almanac-data', async () => {
      const commands = await commandsUnder(readme, 'Use it');
      const outputs = await paste(checkout(), commands);
      assert.match(outputs.join('\n'), /candles of[\s\S]*Its SHA-256 is right/);
      const [byCurl, byShell] = await Promise.all(
        ['by-curl.parquet', 'by-shell.parquet'].map((name) => readFile(join(checkout(), name))),
      );
      assert.deepEqual(byCurl, byShell);
    });

    it('work as pasted for limits and sessions', async () => {
      const [first] = await commandsUnder(readme, 'A tour');
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
};

/** They change what the archive holds. */
export const importsSuite = (checkout: () => string): void => {
  describe('the imports of the documentation', () => {
    it('work as pasted for an import', { timeout: 280_000 }, async () => {
      const commands = await commandsUnder(readme, 'Import data');
      assert.ok(commands.length > 6);
      const outputs = await paste(checkout(), commands);
      const imports = outputs.filter((_, index) => commands[index]?.line.startsWith('npm run import'));
      assert.ok(imports.length > 3);
      for (const output of imports) assert.match(output, /stored/);
    });
  });
};
