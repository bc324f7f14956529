import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sendRaw } from '../testing/raw-http.js';
import { type ServedPages, servePages } from '../testing/pages.js';

const html = '<!doctype html><title>Almanac</title><script type="module" src="/console/assets/app-1.js"></script>';
const script = `console.log(${JSON.stringify('x'.repeat(3_000))});`;

describe('the web console', () => {
  let folder = '';
  let pages: ServedPages;
  let without: ServedPages;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-console-'));
    const dist = join(folder, 'dist');
    await mkdir(join(dist, 'assets'), { recursive: true });
    await writeFile(join(folder, 'secret.txt'), 'outside of the folder');
    await writeFile(join(dist, 'index.html'), html);
    await writeFile(join(dist, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    await writeFile(join(dist, 'assets', 'app-1.js'), script);
    await writeFile(join(dist, 'assets', 'app-1.js.map'), '{}');
    pages = await servePages({ consoleFolder: dist });
    without = await servePages({ consoleFolder: join(folder, 'never-built') });
  });
  after(async () => {
    await Promise.all([pages.stop(), without.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  const get = (path: string, headers: Record<string, string> = {}, at: ServedPages = pages) =>
    fetch(`${at.url}${path}`, { headers, redirect: 'manual' });

  it('is a page at /console and at each deep link, which browsers revalidate', async () => {
    for (const path of [
      '/console',
      '/console/',
      '/console/markets/KXBTC-26.5',
      '/console/keys/',
      '/console/a//b?c=d',
    ]) {
      const response = await get(path);
      assert.deepEqual([response.status, await response.text()], [200, html], path);
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(response.headers.get('cache-control'), 'no-cache');
      const again = await get(path, { 'if-none-match': response.headers.get('etag') ?? '' });
      assert.equal(again.status, 304);
    }
  });

  it('has the reference of the API, to which /docs leads, even under the path of a proxy', async () => {
    const response = await get('/docs');
    assert.deepEqual([response.status, response.headers.get('location')], [302, 'console/docs']);
    assert.deepEqual([(await get('/console/docs')).status, (await get('/docs/errors')).status], [200, 200]);
    assert.equal((await get('/docs', {}, without)).status, 200);
  });

  it('runs only its own scripts, connects only to its gateway, and is in no frame', async () => {
    const { headers } = await get('/console/keys');
    const policy = new Map(
      (headers.get('content-security-policy') ?? '').split('; ').map((rule) => {
        const [name = '', ...values] = rule.split(' ');
        return [name, values.join(' ')];
      }),
    );
    assert.equal(policy.get('default-src'), "'none'");
    for (const name of ['script-src', 'style-src', 'connect-src']) assert.equal(policy.get(name), "'self'", name);
    for (const name of ['frame-ancestors', 'base-uri', 'form-action']) assert.equal(policy.get(name), "'none'", name);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
  });

  it('has assets that browsers store for ever, compressed if accepted', async () => {
    const plain = await get('/console/assets/app-1.js', { 'accept-encoding': 'identity' });
    assert.equal(plain.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(plain.headers.get('content-type'), 'text/javascript; charset=utf-8');
    assert.equal(plain.headers.get('content-encoding'), null);
    assert.equal(await plain.text(), script);
    const gzipped = await get('/console/assets/app-1.js', { 'accept-encoding': 'gzip' });
    assert.equal(gzipped.headers.get('content-encoding'), 'gzip');
    assert.ok(Number(gzipped.headers.get('content-length')) < 500);
    assert.equal(await gzipped.text(), script);
    const icon = await get('/console/favicon.svg');
    assert.deepEqual(
      [icon.headers.get('content-type'), icon.headers.get('cache-control')],
      ['image/svg+xml', 'no-cache'],
    );
  });

  it('answers HEAD without a body, and refuses other methods', async () => {
    const head = await fetch(`${pages.url}/console/markets`, { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
    assert.equal(Number(head.headers.get('content-length')) > 0, true);
    for (const path of ['/console', '/console/keys']) {
      const post = await fetch(`${pages.url}${path}`, { method: 'POST' });
      assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, HEAD']);
    }
  });

  it('answers 404 in place of the page for an asset that does not exist', async () => {
    for (const path of ['/console/assets/app-0.js', '/console/assets/', '/console/assets/app-1.js.map']) {
      const response = await get(path);
      assert.equal(response.status, 404, path);
      assert.equal(((await response.json()) as { code: string }).code, 'not_found');
    }
  });

  it('never answers with a file outside of its folder', async () => {
    for (const path of [
      '/console/../secret.txt',
      '/console/assets/../../secret.txt',
      '/console/..%2fsecret.txt',
      '/console/%2e%2e/secret.txt',
      '/console/assets/..%2f..%2fsecret.txt',
      '/console/..\\secret.txt',
      '/console//etc/passwd',
      '/console/%00',
      '/console/%',
    ]) {
      const { status, bytes } = await sendRaw(pages.url, { path });
      const text = bytes.toString('utf8');
      assert.ok([200, 400, 404].includes(status), `${path}: ${status}`);
      assert.ok(!text.includes('outside of the folder') && !text.includes('root:'), path);
    }
  });

  it('is where a browser gets from the root, while other clients get JSON', async () => {
    const browser = await get('/', { accept: 'text/html,application/xhtml+xml' });
    assert.deepEqual([browser.status, browser.headers.get('location')], [302, 'console']);
    const other = await get('/', { accept: 'application/json' });
    assert.deepEqual([other.status, ((await other.json()) as { code: string }).code], [404, 'not_found']);
  });

  it('is a clear error where it is not built, and the root leads to the reference', async () => {
    for (const path of ['/console', '/console/keys', '/console/assets/app-1.js']) {
      const response = await get(path, {}, without);
      assert.equal(response.status, 404);
      assert.match(((await response.json()) as { detail: string }).detail, /without the web console/);
    }
    const browser = await get('/', { accept: 'text/html' }, without);
    assert.equal(browser.headers.get('location'), 'docs');
  });
});
