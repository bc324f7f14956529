import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ClientsSystem } from '../clients-system.js';
import { runExample } from './run-example.js';

const programs = new URL('../../../../examples/typescript/src/', import.meta.url);

/** Runs every example in TypeScript. Each ends with checks of its own. */
export const describeExamples = (clients: () => ClientsSystem): void => {
  describe('the examples', async () => {
    for (const file of await readdir(programs)) {
      const name = file.replace(/\.ts$/, '');
      it(`${name} runs as a program`, async () => {
        const folder = await clients().makeFolder();
        const program = fileURLToPath(new URL(`../dist/${name}.js`, programs));
        const { code, output } = await runExample(
          [process.execPath, '--enable-source-maps', program],
          folder,
          clients(),
        );
        assert.equal(code, 0, output);
        if (name !== 'event-on-one-clock') return;
        const chart = await readFile(join(folder, 'event.svg'), 'utf8');
        assert.equal(chart.match(/<path d="M[\d.L M]+"/g)?.length, 9, 'a line for each strike');
      });
    }
  });
};
