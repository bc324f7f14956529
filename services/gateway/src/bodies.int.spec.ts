import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { exportRpc } from '@almanac/contracts';
import { sumOfSamples } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import { startSystem, type TestSystem } from './testing/gateway.js';
import { nameOf } from './testing/service-stubs.js';

const connectionsMax = 12;

describe('the bodies and connections of a gateway', () => {
  let system: TestSystem;
  const open: ClientRequest[] = [];
  before(async () => {
    system = await startSystem({ BODIES_MB: '1', CONNECTIONS_MAX: String(connectionsMax) });
    system.edge.handlers.set(nameOf(exportRpc.create), (input) => ({ got: input }));
  });
  afterEach(() => {
    for (const sent of open.splice(0)) sent.destroy();
  });
  after(() => system.stop());

  /** Sends a head and the begin of a body, and no more. */
  const beginPost = (headers: Record<string, string>, begin = ''): ClientRequest => {
    const sent = request(`${system.url}/api/v1/exports`, { method: 'POST', headers, agent: false });
    sent.on('error', () => undefined);
    sent.flushHeaders();
    if (begin !== '') sent.write(begin);
    open.push(sent);
    return sent;
  };
  const answerTo = async (sent: ClientRequest) => {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    const { code } = z.looseObject({ code: z.string() }).parse(JSON.parse(Buffer.concat(chunks).toString()));
    return { status: response.statusCode, code, retryAfter: response.headers['retry-after'] };
  };
  const keyOf = ({ text }: { text: string }) => ({
    authorization: `Bearer ${text}`,
    'content-type': 'application/json',
  });
  const requestsInFlight = async (): Promise<number> =>
    sumOfSamples(await system.samples(), 'almanac_http_requests_in_flight') ?? 0;

  it('checks the key before the body arrives', { timeout: 15_000 }, async () => {
    const answer = await answerTo(beginPost({ 'content-length': '1000' }));
    assert.deepEqual([answer.status, answer.code], [401, 'unauthenticated']);
  });

  it('counts a long body in chunks before it refuses the key', { timeout: 15_000 }, async () => {
    const sent = beginPost({ 'transfer-encoding': 'chunked' });
    sent.end('x'.repeat(262_145));
    assert.equal((await answerTo(sent)).status, 413);
    const short = beginPost({ 'transfer-encoding': 'chunked' });
    short.end('x'.repeat(262_144));
    assert.equal((await answerTo(short)).status, 401);
  });

  it('refuses a declared length above the limit before the body arrives', { timeout: 15_000 }, async () => {
    assert.equal((await answerTo(beginPost({ 'content-length': '262145' }))).status, 413);
  });

  it('answers 503 to bodies beyond the share of their account, and reads those of others', async () => {
    const [busy, other] = [system.edge.keys.createKey(), system.edge.keys.createKey()];
    // Afterwards the key and its requests are in memory, so the next request reserves at once.
    await (await system.request('/exports/formats', busy)).text();
    const length = { 'content-length': '200000' };
    const first = beginPost({ ...keyOf(busy), ...length }, ' ');
    await eventually(async () => assert.equal(await requestsInFlight(), 1));
    const refused = await answerTo(beginPost({ ...keyOf(busy), ...length }));
    assert.deepEqual([refused.status, refused.code, refused.retryAfter], [503, 'unavailable', '1']);
    const small = await system.request('/exports', other, {
      method: 'POST',
      body: '{"event":"E"}',
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(small.status, 200);
    first.end(`{"event":"E"}${' '.repeat(200_000 - 14)}`);
    const [response] = (await once(first, 'response')) as [IncomingMessage];
    assert.equal(response.statusCode, 200);
    response.resume();
    const refusals = sumOfSamples(await system.samples(), 'almanac_http_overload_total', { reason: 'bodies' });
    assert.equal(refusals, 1);
  });

  it('closes connections beyond the limit', { timeout: 15_000 }, async () => {
    const { port } = new URL(system.url);
    const sockets = Array.from({ length: connectionsMax + 5 }, () => connect(Number(port), '127.0.0.1'));
    let closed = 0;
    for (const socket of sockets) socket.on('error', () => undefined).once('close', () => (closed += 1));
    try {
      await eventually(() => assert.ok(closed >= 5));
      assert.ok(closed < sockets.length);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });
});
