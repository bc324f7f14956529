import assert from 'node:assert/strict';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { DomainError } from '@almanac/contracts';
import { eventually, type TestClickHouse } from '@almanac/testing';
import { z } from 'zod';
import type { Callers } from './testing/fixture.js';
import { startHarness, type TimeseriesHarness } from './testing/harness.js';

const readsAtOnce = 3;
const openUs = 1_771_992_900_000_000;
/** The empty result in the format of our reads, as ClickHouse writes it. */
const noRows = ']\n0\n';

const standIn = { username: 'operator', password: '', cluster: undefined, dir: '', pid: 0, onExit: () => undefined };

/** A fake ClickHouse that holds every query until the test releases it or its caller is gone. */
const startHoldingStore = async () => {
  const held = new Set<ServerResponse>();
  let most = 0;
  let holding = true;
  const server: Server = createServer((request, response) => {
    request.resume();
    if (request.method === 'GET' || !holding) return void response.end(noRows);
    held.add(response);
    most = Math.max(most, held.size);
    response.on('close', () => held.delete(response));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = z.object({ port: z.int() }).parse(server.address());
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
  };
  return {
    asServer: async (): Promise<TestClickHouse> => ({ ...standIn, url: `http://127.0.0.1:${port}`, port, stop }),
    held: () => held.size,
    most: () => most,
    letGo: () => {
      holding = false;
      for (const response of held) response.end(noRows);
    },
  };
};

describe('a process whose store is slow', () => {
  let store: Awaited<ReturnType<typeof startHoldingStore>>;
  let tested: TimeseriesHarness;
  let callers: Callers;

  before(async () => {
    store = await startHoldingStore();
    tested = await startHarness({
      startClickHouse: store.asServer,
      hasTables: false,
      changes: { READS_CONCURRENT: readsAtOnce },
    });
    ({ callers } = tested);
    for (let at = 0; at < 20; at += 1)
      await tested.fixture.market({ ticker: `M${at}`, open_us: openUs, close_us: openUs + 1 });
  });
  after(async () => {
    store.letGo();
    await tested.stop();
  });

  const request = (index: number, timeoutMs: number) => callers.snapshots({ ticker: `M${index}` }, { timeoutMs });
  const unavailable = (error: unknown): boolean => error instanceof DomainError && error.code === 'unavailable';

  it('runs a limited number of queries at once, previews included, and waiting ones end at their deadline as unavailable', async () => {
    const responses = Promise.allSettled(Array.from({ length: 12 }, (_, index) => request(index, 3_000)));
    const previews = await Promise.all(Array.from({ length: 20 }, (_, index) => callers.preview(`M${index}`)));
    assert.ok(previews.every(({ body }) => body.pending));
    await eventually(() => assert.equal(store.most(), readsAtOnce));
    for (const answer of await responses) assert.ok(answer.status === 'rejected' && unavailable(answer.reason));
    assert.equal(store.most(), readsAtOnce);
  });

  it('ends queries without a waiting caller, and reads again when the store does', async () => {
    // Previews use at most two slots. The third is free for a reader again.
    await eventually(() => assert.ok(store.held() <= 2));
    const waiting = request(1, 14_000);
    await eventually(() => assert.ok(store.held() > 0));
    store.letGo();
    assert.equal((await waiting).body.count, 0);
    assert.equal(store.most(), readsAtOnce);
  });
});
