import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import { routes } from '../routes/routes.js';
import { errorPages } from './error-pages.js';
import { topics } from './introduction.js';
import { type ServedPages, servePages } from '../testing/pages.js';

describe('the documentation of the gateway', () => {
  let pages: ServedPages;
  before(async () => {
    pages = await servePages();
  });
  after(() => pages.stop());

  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${pages.url}${path}`, { headers });

  it('returns the OpenAPI document without a key, and 304 for a matching ETag', async () => {
    const response = await get('/openapi.json');
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'application/json']);
    assert.ok(response.headers.get('x-request-id'));
    const { openapi, paths } = z
      .object({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) })
      .parse(await response.json());
    assert.match(openapi, /^3\.2\./);
    assert.ok('/api/v1/markets/{ticker}/snapshots' in paths);
    const etag = response.headers.get('etag') ?? '';
    const again = await get('/openapi.json', { 'if-none-match': etag });
    assert.deepEqual([again.status, again.headers.get('etag'), await again.text()], [304, etag, '']);
  });

  it('accepts no other method, with or without a key', async () => {
    for (const path of ['/openapi.json', '/docs']) {
      const response = await fetch(`${pages.url}${path}`, { method: 'POST' });
      assert.deepEqual([response.status, response.headers.get('allow')], [405, 'GET, HEAD']);
      const head = await fetch(`${pages.url}${path}`, { method: 'HEAD' });
      assert.deepEqual([head.status, await head.text()], [200, '']);
    }
  });

  it('redirects from the address with a slash to the page, even under the path of a proxy', async () => {
    const response = await fetch(`${pages.url}/docs/`, { redirect: 'manual' });
    assert.deepEqual([response.status, response.headers.get('location')], [308, '../docs']);
    const followed = await get('/docs/');
    assert.deepEqual([followed.status, followed.url], [200, `${pages.url}/docs`]);
  });

  it('lists each endpoint at /docs for servers without the console, from this gateway alone and without scripts', async () => {
    const response = await get('/docs');
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /https?:|\*|unsafe|script/);
    const html = await response.text();
    for (const { method, path, operation } of routes) {
      const name = `${method.toUpperCase()} /api/v1${path.replaceAll(/:(\w+)/g, '{$1}')}`;
      assert.ok(html.includes(`<code>${name}</code>: ${operation.doc.summary}`), name);
    }
    const assetUrls = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    assert.ok(assetUrls.includes('docs/page.css'));
    for (const part of assetUrls) {
      assert.doesNotMatch(part, /^(?:[a-z]+:|\/)/i, 'an address that is not relative');
      assert.equal((await get(`/${part}`)).status, 200, part);
    }
    const css = await get('/docs/page.css');
    assert.equal(css.headers.get('content-type'), 'text/css; charset=utf-8');
    assert.doesNotMatch(await css.text(), /@import|url\(/);
  });

  it('has a page for each error code, and an index that links to all of them', async () => {
    const index = await (await get('/docs/errors')).text();
    const links = [...index.matchAll(/href="(errors\/[a-z_]+)"/g)].map(([, link = '']) => link);
    assert.deepEqual(
      links,
      errorPages.map(({ code }) => `errors/${code}`),
    );
    for (const { code, status } of errorPages) {
      const response = await get(`/docs/errors/${code}`);
      assert.deepEqual(
        [response.status, response.headers.get('content-type')],
        [200, 'text/html; charset=utf-8'],
        code,
      );
      assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      const html = await response.text();
      assert.match(html, new RegExp(`<h1><code>${code}</code></h1>\n<p>HTTP status ${status}</p>`), code);
      assert.doesNotMatch(html.replace(/<pre>[^]*<\/pre>/, ''), /`|undefined/, code);
    }
    assert.equal((await get('/docs/errors/nothing')).status, 404);
  });

  it('has a page for each subject of the introduction, whose links lead to pages', async () => {
    const { info } = z
      .object({ info: z.object({ description: z.string() }) })
      .parse(await (await get('/openapi.json')).json());
    const links = [...info.description.matchAll(/\((docs\/about\/[a-z-]+)\)/g)].map(([, link = '']) => link);
    assert.equal(links.length, topics.length);
    assert.ok(info.description.length < 1_000, 'it leaves the first screen to endpoints');
    for (const link of links) {
      const html = await (await get(`/${link}`)).text();
      assert.match(html, /<h1>[A-Z]/);
      assert.doesNotMatch(html, /`|undefined|\]\(/, link);
      for (const [, target = ''] of html.matchAll(/href="\.\.\/\.\.(\/[^"]+)"/g))
        assert.equal((await get(target)).status, 200, target);
    }
  });

  it('has texts for language models, with every endpoint, parameter and error', async () => {
    const short = await get('/llms.txt');
    assert.equal(short.headers.get('content-type'), 'text/plain; charset=utf-8');
    const [list, whole] = [await short.text(), await (await get('/llms-full.txt')).text()];
    for (const { method, path } of routes) {
      const name = `${method.toUpperCase()} /api/v1${path.replaceAll(/:(\w+)/g, '{$1}')}`;
      assert.ok(list.includes(`- ${name}: `), name);
      assert.ok(whole.includes(`### ${name}\n`), name);
    }
    assert.match(whole, /- `ticker` \(path, required\): /);
    assert.match(whole, /- `streams` \(body\): /);
    for (const { code } of errorPages) assert.ok(whole.includes(`- \`${code}\` (`), code);
    for (const text of [list, whole]) assert.doesNotMatch(text, /undefined|\[object/);
    for (const [, link = ''] of list.matchAll(/\]\(([^)]+)\)/g))
      assert.equal((await get(`/${link}`)).status, 200, link);
  });

  it('shows an error as the gateway sends it', async () => {
    const { detail } = z.object({ detail: z.string() }).parse(await (await get('/nothing')).json());
    const page = await (await get('/docs/errors/not_found')).text();
    assert.ok(page.includes(`&quot;detail&quot;: &quot;${detail}&quot;`), page);
  });
});
