import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { exportResponse, planResponse, seriesDetailResponse } from '@almanac/contracts';
import { storeGeneratedArchive } from '@almanac/system';
import { type ApiClient, poll } from './api.js';
import { type SystemHarness, startHarness } from './harness.js';

describe('a cancelled export', { timeout: 240_000 }, () => {
  let running: SystemHarness;
  let api: ApiClient;
  let event: string;
  /** An object store with the bucket that completes no upload, so no file becomes ready. */
  const store = createServer((request, response) => {
    const isBucket = /^\/[^/]+\/?$/.test(request.url ?? '');
    if (request.method === 'HEAD') response.writeHead(isBucket ? 200 : 404).end();
  });
  before(async () => {
    await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
    const { port } = store.address() as AddressInfo;
    running = await startHarness({ environment: { export: { S3_ENDPOINT: `http://127.0.0.1:${port}` } } });
    api = await running.client('free');
    await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
    const { events } = await api.json(seriesDetailResponse, '/series/GENRATE');
    event = events?.[0]?.event_ticker ?? assert.fail('no event');
  });
  after(async () => {
    store.closeAllConnections();
    store.close();
    await running.stop();
  });

  const used = async () => {
    const { entitlements, free_export_credit: credit } = await api.json(planResponse, '/plan');
    return [entitlements.exports_pending.used, entitlements.exports_per_day.used, credit.used];
  };
  const request = () =>
    api.json(exportResponse, '/exports', { method: 'POST', body: JSON.stringify({ event, format: 'csv' }) });

  it('returns the credit, the place of the day and the place among the pending ones', async () => {
    // The free plan has one credit and one pending export, so each round needs at once what the one before used.
    for (let round = 0; round < 3; round += 1) {
      const { id, grant } = await request();
      assert.equal(grant, 'free_credit');
      assert.deepEqual(await used(), [1, 1, 1]);
      const cancelled = await api.json(exportResponse, `/exports/${id}`, { method: 'DELETE' });
      assert.equal(cancelled.status, 'cancelled');
      assert.deepEqual(await api.json(exportResponse, `/exports/${id}`, { method: 'DELETE' }), cancelled);
      assert.deepEqual(await api.json(exportResponse, `/exports/${id}`), cancelled);
      assert.equal((await api.send(`/exports/${id}/file`)).status, 409);
    }
    await poll(used, (now) => now.every((count) => count === 0));
  });
});
