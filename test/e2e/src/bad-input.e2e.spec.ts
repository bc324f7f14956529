import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { marketsResponse, seriesResponse, snapshotsResponse } from '@almanac/contracts';
import { storeGeneratedArchive } from '@almanac/system';
import { apiClient, type ApiClient, errorBody, validationBody } from './api.js';
import { type SystemHarness, startHarness } from './harness.js';

describe('bad input', () => {
  let running: SystemHarness;
  let api: ApiClient;
  let ticker = '';

  before(async () => {
    running = await startHarness();
    api = await running.client('full_book');
    await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
    const { markets } = await api.json(marketsResponse, '/markets?series=GENBTC15M&status=finalized&limit=1');
    ticker = markets[0]?.ticker ?? '';
  });
  after(() => running.stop());

  const refused = async (path: string, init: Parameters<ApiClient['send']>[1] = {}) => {
    const { status, bytes } = await api.send(path, init);
    return { status, ...errorBody.parse(JSON.parse(bytes.toString('utf8'))) };
  };
  const invalid = async (path: string, init: Parameters<ApiClient['send']>[1] = {}) => {
    const { status, bytes } = await api.send(path, init);
    assert.equal(status, 422, bytes.toString('utf8'));
    return validationBody.parse(JSON.parse(bytes.toString('utf8'))).detail;
  };

  it('a wrong key is 401 with the scheme to use', async () => {
    const stranger = apiClient(running.system.baseUrls[0], 'ak_live_wrong');
    const { status, headers } = await stranger.send('/series');
    assert.equal(status, 401);
    assert.equal(headers.get('www-authenticate'), 'Bearer');
  });

  for (const name of [
    'NO-SUCH',
    'a'.repeat(4_000),
    'X*Y',
    'X>Y',
    'evt.catalog.>',
    '..',
    "x'; DROP TABLE snapshots; --",
    '%00',
  ]) {
    it(`the ticker ${name.slice(0, 30)} is 404 on every route that takes one`, async () => {
      for (const tail of ['', '/preview', '/snapshots']) {
        const path = `/markets/${name === '%00' ? name : encodeURIComponent(name)}${tail}`;
        assert.equal((await refused(path)).status, 404, path);
      }
    });
  }

  it('a reversed window is 400 invalid_window, and one in milliseconds gets a hint', async () => {
    const turned = await refused(`/markets/${ticker}/snapshots?start_ts=200&end_ts=100`);
    assert.equal(turned.status, 400);
    assert.equal(turned.code, 'invalid_window');
    const milliseconds = await refused(`/markets/${ticker}/snapshots?start_ts=1771993365058`);
    assert.equal(milliseconds.code, 'invalid_window');
    assert.match(milliseconds.detail, /milliseconds/);
  });

  it('a limit of 0 and of 5001 is 422 and names the bound', async () => {
    const [low] = await invalid(`/markets/${ticker}/snapshots?limit=0`);
    assert.deepEqual([low?.loc, low?.type], [['query', 'limit'], 'greater_than_equal']);
    const [high] = await invalid(`/markets/${ticker}/snapshots?limit=5001`);
    assert.equal(high?.msg, 'Input should be less than or equal to 5000');
  });

  it('a body that is not JSON is 422 with the position', async () => {
    const [fault] = await invalid('/exports', { method: 'POST', body: '{"event":}' });
    assert.deepEqual([fault?.type, fault?.loc], ['json_invalid', ['body', 9]]);
  });

  it('an export without a target, or with two, is 400', async () => {
    const post = (body: object) => refused('/exports', { method: 'POST', body: JSON.stringify(body) });
    assert.deepEqual(
      [(await post({})).code, (await post({ event: 'A', ticker: 'B' })).code],
      ['missing_target', 'ambiguous_target'],
    );
  });

  it('an invalid export id, and one of another account, is 404', async () => {
    assert.equal((await refused('/exports/no-uuid')).status, 404);
    assert.equal((await refused('/exports/00000000-0000-4000-8000-000000000000')).status, 404);
  });

  it('invalid import files are named, and stored data stays complete', async () => {
    const { home } = running.system;
    const before_ = await api.json(seriesResponse, '/series');
    const rows = await api.json(snapshotsResponse, `/markets/${ticker}/snapshots?step_ms=0&limit=5000`);
    const files = {
      'not-a.csv': Buffer.from('\x89PNG\r\n\x1a\n\0\0'),
      'cut.csv.gz': gzipSync(Buffer.from(await someCsv())).subarray(0, -40),
    };
    for (const [name, bytes] of Object.entries(files)) {
      await writeFile(join(home, name), bytes);
      const { code, output } = await running.import(join(home, name));
      assert.equal(code, 1, output);
      assert.ok(output.includes(name), output);
    }
    assert.deepEqual((await api.json(seriesResponse, '/series')).markets_n, before_.markets_n);
    const after_ = await api.json(snapshotsResponse, `/markets/${ticker}/snapshots?step_ms=0&limit=5000`);
    assert.deepEqual(after_.snapshots, rows.snapshots);
  });
});

/** Text that matches no built-in mapping, long enough to be cut in the middle of its gzip stream. */
const someCsv = async (): Promise<string> =>
  (await readFile(new URL(import.meta.url), 'utf8')).replaceAll(/[^\n\w,]/g, ',');
