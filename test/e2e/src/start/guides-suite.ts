import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { codeUnder, commandsUnder, differenceFrom, type DocumentedCommand } from './documented-commands.js';
import { repository } from './npm-start.js';
import { paste, type Programs, programsFor } from './run-documented.js';

const folder = join(repository, 'docs', 'guides');
const index = 'README.md';
const pages = readdirSync(folder).filter((name) => name !== index);
/** The import comes first: the other sections of its page read what it stores. */
const sections = [
  ['Import', 'sh'],
  ['curl', 'sh'],
  ['Python', 'python'],
  ['TypeScript', 'ts'],
  ['Shell', 'sh'],
] as const;
const languages = ['curl', 'Python', 'TypeScript', 'Shell'];

/** Runs every code block of every guide in a checkout whose system runs. One guide imports, so the archive changes. */
export const guidesSuite = (checkout: () => string): void => {
  describe('the guides', () => {
    let setUp: DocumentedCommand[] = [];
    let programs: Programs;
    before(async () => {
      setUp = await commandsUnder(join(folder, index), 'Set up');
      programs = await programsFor(checkout());
    });
    after(() => programs.remove());

    it('are all in the index, each with every language and nothing that is not run', async () => {
      const list = await readFile(join(folder, index), 'utf8');
      assert.ok(pages.length >= 7);
      for (const page of pages) {
        assert.ok(list.includes(`](${page})`), page);
        const text = await readFile(join(folder, page), 'utf8');
        const found = [...text.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading);
        assert.deepEqual(found.slice(-languages.length), languages, page);
        const run = await Promise.all(
          sections.filter(([heading]) => found.includes(heading)).map((section) => blocksOf(page, section)),
        );
        assert.equal([...text.matchAll(/^```(?:sh|python|ts)$/gm)].length, run.flat().length, page);
      }
    });

    for (const page of pages) {
      for (const section of sections) {
        const [heading, language] = section;
        if (heading === 'Import' && page !== 'import-your-own.md') continue;
        it(`${page} works as pasted in ${heading}, and answers as shown`, async () => {
          if (language === 'sh') {
            const commands = await commandsUnder(join(folder, page), heading);
            assert.ok(commands.some(({ answer }) => answer !== null));
            await paste(checkout(), [...setUp, ...commands]);
            return;
          }
          const [[code = assert.fail()], [shown = assert.fail()]] = await Promise.all([
            blocksOf(page, section),
            codeUnder(join(folder, page), heading, 'text'),
          ]);
          const output = await (language === 'python' ? programs.python(code) : programs.typescript(code));
          assert.equal(differenceFrom(shown.trim(), output.trim()), null, output);
        });
      }
    }
  });
};

const blocksOf = (page: string, [heading, language]: (typeof sections)[number]): Promise<string[]> =>
  codeUnder(join(folder, page), heading, language);
