import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { marketDetailResponse } from '@almanac/contracts';
import { findBinary } from '@almanac/local-servers';
import type { Page } from 'playwright-core';
import { accessFaults, closeFaultless, type ConsoleHarness, type ConsolePage, settled, signIn } from './console.js';

const run = promisify(execFile);

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
}

export const describeDocs = (console: () => ConsoleHarness): void => {
  describe('the reference of the API in the console', () => {
    let harness: ConsoleHarness;
    let key = '';
    let visitor: ConsolePage;
    let page: Page;
    let ids: readonly string[] = [];
    before(async () => {
      harness = console();
      key = await harness.running.key('full_book');
      const document = (await (await fetch(`${harness.base}/openapi.json`)).json()) as OpenApi;
      ids = Object.values(document.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
      visitor = await harness.signedIn(key);
      ({ page } = visitor);
    });
    after(() => closeFaultless(visitor));
    const linkOf = (id: string) => page.locator(`.docs-index a[href$="operation=${id}"]`);

    it('is where /docs leads, also for somebody without a key, who can sign in there', async () => {
      const reader = await harness.visit();
      await reader.page.goto(`${harness.base}/docs`);
      await reader.page.waitForURL('**/console/docs');
      await reader.page.getByRole('link', { name: 'List candles of a market' }).click();
      await reader.page.getByRole('heading', { name: 'List candles of a market' }).waitFor();
      assert.equal(await reader.page.getByRole('button', { name: 'Send GET' }).count(), 0);
      assert.deepEqual(await accessFaults(reader.page), []);
      await reader.page.getByRole('link', { name: 'Sign in' }).first().click();
      await signIn(reader.page, key);
      await reader.page.getByRole('navigation', { name: 'Endpoints' }).waitFor();
      await closeFaultless(reader);
    });

    it('weighs less than Swagger UI did: under 200 KB with the document', async () => {
      const reader = await harness.visit();
      const sizes: Promise<number>[] = [];
      reader.page.on('requestfinished', (request) =>
        sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize)),
      );
      await reader.page.goto(`${harness.base}/docs`);
      await reader.page.getByRole('link', { name: 'List markets' }).waitFor();
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      assert.ok(bytes > 50_000 && bytes < 200_000, `${bytes} bytes`);
      await closeFaultless(reader);
    });

    it('has each endpoint of the document in a group, and finds it by words', async () => {
      await visitor.open('/docs');
      await settled(page);
      for (const id of ids) assert.equal(await linkOf(id).count(), 1, id);
      await page.getByLabel('Filter endpoints').fill('candles post');
      await page.waitForFunction(() => document.querySelectorAll('.docs-index li').length === 1);
      await linkOf('listCandlesOfMarkets').click();
      await page.locator('[data-operation="listCandlesOfMarkets"]').waitFor();
    });

    it('shows each endpoint without a fault', async () => {
      for (const id of ids) {
        await visitor.open(`/docs?operation=${id}`);
        await page.locator(`[data-operation="${id}"] .docs-code pre`).waitFor();
      }
      assert.deepEqual(await accessFaults(page), []);
    });

    it('sends a request with the key of the session, filled with a market of the archive', async () => {
      await visitor.open('/docs?operation=getMarket');
      await page.waitForFunction(() => document.querySelector('.docs-address')?.textContent?.includes('/GEN') === true);
      await page.getByRole('button', { name: 'Send GET' }).click();
      await page.locator('.docs-answer[data-status="200"]').waitFor();
      const answer = marketDetailResponse.parse(JSON.parse(await page.locator('.docs-answer pre').innerText()));
      assert.ok((await page.locator('.docs-address').innerText()).endsWith(answer.market.ticker));
      assert.deepEqual(await accessFaults(page), []);
      await page.getByLabel('ticker').fill('NEVER');
      await page.getByRole('button', { name: 'Send GET' }).click();
      await page.locator('.docs-answer[data-status="404"]').waitFor();
    });

    it('asks before it sends what changes something, with the token of the session', async () => {
      await visitor.open('/docs?operation=createKey');
      await page.getByLabel('Body (JSON)').fill('{"name": "from the reference"}');
      await page.getByRole('button', { name: 'Send POST' }).click();
      await page.getByRole('group').getByRole('button', { name: 'Send POST' }).click();
      await page.locator('.docs-answer[data-status^="20"]').waitFor();
      await visitor.open('/keys');
      await page.getByRole('row', { name: 'from the reference' }).waitFor();
    });

    it('has the request in four languages, which run as shown', async () => {
      await visitor.open('/docs?operation=getMarket');
      await page.waitForFunction(() => document.querySelector('.docs-address')?.textContent?.includes('/GEN') === true);
      const env = { ...process.env, ALMANAC_API_KEY: key };
      const programs: Readonly<Record<string, readonly [string, readonly string[]]>> = {
        curl: ['bash', ['-c']],
        Python: [await findBinary('python/python3'), ['-c']],
        JavaScript: [process.execPath, ['--input-type=module', '-e']],
      };
      const languages = page.getByRole('group', { name: 'Language of the code' }).getByRole('button');
      assert.deepEqual(await languages.allInnerTexts(), [...Object.keys(programs), 'Go']);
      for (const [name, [program, args]] of Object.entries(programs)) {
        await languages.getByText(name, { exact: true }).click();
        const code = await page.locator('.docs-code pre').innerText();
        const { stdout } = await run(program, [...args, code], { env, timeout: 60_000 });
        const { market } = marketDetailResponse.parse(JSON.parse(stdout.slice(stdout.indexOf('{'))));
        assert.ok((await page.locator('.docs-address').innerText()).endsWith(market.ticker), name);
      }
      await page.locator('.docs-code [data-token="string"]').first().waitFor();
      // The language is that of the next endpoint, too.
      await visitor.open('/docs?operation=listMarkets');
      await page.locator('.docs-code [data-language="JavaScript"]').waitFor();
    });
  });
};
