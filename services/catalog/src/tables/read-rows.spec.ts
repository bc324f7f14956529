import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { connectClickHouse } from '@almanac/clickhouse';
import { DomainError } from '@almanac/contracts';
import { z } from 'zod';
import { answerCache } from '../answers/answer-cache.js';
import { readRows } from './read-rows.js';

describe('a query to the tables', () => {
  it('is ended in the database when its last caller leaves, and not before', async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const clickhouse = connectClickHouse({ url: `http://127.0.0.1:${port}`, username: 'u', password: '' });
    const cache = answerCache({ ttlMs: 1_000, bytesMax: 1_000 });
    const query = (signal: AbortSignal) =>
      readRows(clickhouse, { sql: 'SELECT sleep(3)', signal }, z.unknown()).then(() => ({ first: {}, fromCache: {} }));
    const [one, other] = [new AbortController(), new AbortController()];
    const arrived = once(server, 'request');
    const ended = Promise.allSettled([cache.get('q', one, query), cache.get('q', other, query)]);
    const [request] = (await arrived) as [{ socket: NodeJS.EventEmitter & { destroyed: boolean } }];
    const closed = once(request.socket, 'close');
    one.abort();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(request.socket.destroyed, false);
    other.abort();
    await closed;
    for (const answer of await ended) {
      assert.ok(answer.status === 'rejected' && answer.reason instanceof DomainError);
      assert.equal(answer.reason.code, 'unavailable');
    }
    await clickhouse.close();
    server.close();
  });
});
