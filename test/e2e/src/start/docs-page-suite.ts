import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { z } from 'zod';
import { openDocsPage, type PageOptions, snippetOf } from './docs-page.js';

const run = promisify(execFile);
const exampleParameter = z.object({ name: z.string(), example: z.string() });
const exportAnswer = z.object({ ticker: z.string(), format: z.string(), status: z.string() });

/** Tests of the page of a system with the demo archive: its home folder, and what it printed at its start. */
export const docsPageSuite = (system: () => { home: string; output: string }): void => {
  describe('the page at /docs', () => {
    let home = '';
    let base = '';
    let key = '';
    let options: PageOptions;
    before(async () => {
      const { output, ...folder } = system();
      ({ home } = folder);
      base = /^Reference +(\S+)\/docs$/m.exec(output)?.[1] ?? assert.fail(output);
      key = (await readFile(join(home, 'demo-key'), 'utf8')).trim();
      ({ options } = await openDocsPage(base, { key, folder: home }));
    });

    const exampleOf = (path: string): string => {
      const parameters = options.spec.paths[path]?.['get']?.parameters ?? [];
      const [found] = parameters.flatMap((parameter) => exampleParameter.safeParse(parameter).data ?? []);
      return found?.example ?? assert.fail(path);
    };

    it('is titled Almanac, and keeps the key', async () => {
      const { page } = await openDocsPage(base, { key: null, folder: home });
      assert.match(page, /<title>Almanac<\/title>/);
      assert.equal(options.spec.info.title, 'Almanac');
      assert.equal(options.persistAuthorization, true);
    });

    it('is filled with a market of the demo archive that has data', async () => {
      for (const path of [
        '/series/{series_id}',
        '/events/{event_id}',
        '/markets/{ticker}',
        '/markets/{ticker}/preview',
      ]) {
        const example = exampleOf(`/api/v1${path}`);
        assert.match(example, /^GENBTC/);
        const address = `${base}/api/v1${path.replace(/\{\w+\}/, example)}`;
        const response = await fetch(address, { headers: { authorization: `Bearer ${key}` } });
        assert.equal(response.status, 200, address);
      }
      const { options: withoutKey } = await openDocsPage(base, { key: null, folder: home });
      assert.ok(!JSON.stringify(withoutKey.spec).includes('"example":"GEN'), 'without a key nothing is read');
    });

    it('shows curl, Python and JavaScript, which run as shown', async (test) => {
      const titles = Object.values(options.requestSnippets.generators).map(({ title }) => title);
      assert.deepEqual([options.requestSnippetsEnabled, titles], [true, ['curl', 'Python', 'JavaScript']]);
      const ticker = exampleOf('/api/v1/markets/{ticker}');
      const authorization = { Authorization: `Bearer ${key}` };
      const get = { url: `${base}/api/v1/markets/${ticker}`, method: 'GET', headers: authorization };
      const post = {
        url: `${base}/api/v1/exports`,
        method: 'POST',
        headers: { ...authorization, 'Content-Type': 'application/json' },
        body: `{\n  "ticker": "${ticker}",\n  "format": "csv"\n}`,
      };
      const python = await run('python3', ['--version']).then(
        () => true,
        () => false,
      );
      if (!python) test.diagnostic('python3 is not installed: the Python code was not run');
      for (const [language, command] of [
        ['javascript', process.execPath],
        ...(python ? [['python', 'python3']] : []),
      ]) {
        const answerOf = async (request: typeof get | typeof post): Promise<unknown> => {
          const code = snippetOf(options, language ?? '', request);
          const args = language === 'python' ? ['-c', code] : ['--input-type=module', '-e', code];
          return JSON.parse((await run(command ?? '', args, { timeout: 60_000 })).stdout);
        };
        const { market } = z.object({ market: z.object({ ticker: z.string() }) }).parse(await answerOf(get));
        assert.equal(market.ticker, ticker, language);
        const { format, ...exported } = exportAnswer.parse(await answerOf(post));
        assert.deepEqual([exported.ticker, format], [ticker, 'csv'], language);
      }
    });
  });
};
