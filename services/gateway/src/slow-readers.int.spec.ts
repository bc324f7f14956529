import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Reply } from '@almanac/bus';
import { timeseriesRpc } from '@almanac/contracts';
import { sumOfSamples } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { type RunningGateway, startSystem, type TestSystem } from './testing/gateway.js';
import type { TestKey } from './testing/keys-stub.js';
import { nameOf } from './testing/service-stubs.js';

/** More than the buffers of both ends of a connection. */
const answerBytes = 16 * 1_048_576;

describe('clients that read large answers slowly', () => {
  let system: TestSystem;
  let impatient: RunningGateway;
  const open: ClientRequest[] = [];
  before(async () => {
    system = await startSystem({ ANSWERS_MB: '8' });
    impatient = await system.another({ CLIENT_STALL_S: '1' });
    system.edge.handlers.set(nameOf(timeseriesRpc.snapshots), () => new Reply(Buffer.alloc(answerBytes, ' ')));
  });
  afterEach(() => {
    for (const sent of open.splice(0)) sent.destroy();
  });
  after(() => system.stop());

  /** The answer of a client that reads nothing of it. */
  const stalledRead = async ({ url }: RunningGateway, { text }: TestKey): Promise<IncomingMessage> => {
    const headers = { authorization: `Bearer ${text}` };
    const sent = request(`${url}/api/v1/markets/M/snapshots`, { headers, agent: false });
    sent.on('error', () => undefined).end();
    open.push(sent);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.on('error', () => undefined);
    return response;
  };

  it('are disconnected when they read nothing for a while', { timeout: 30_000 }, async () => {
    const response = await stalledRead(impatient, system.edge.keys.createKey());
    assert.equal(response.statusCode, 200);
    const stalled = async () =>
      sumOfSamples(await impatient.samples(), 'almanac_http_overload_total', { reason: 'stalled' });
    await eventually(async () => assert.equal(await stalled(), 1), { timeoutMs: 20_000 });
    const closed = new Promise((resolve) => response.once('close', resolve));
    response.resume();
    await closed;
    assert.equal(response.complete, false);
  });

  it('get the complete answer if they keep reading', { timeout: 60_000 }, async () => {
    const response = await stalledRead(impatient, system.edge.keys.createKey());
    let total = 0;
    let pauses = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      total += chunk.length;
      if (total < (pauses + 1) * 4 * 1_048_576) continue;
      pauses += 1;
      await delay(400);
    }
    assert.deepEqual([total, response.complete], [answerBytes, true]);
  });

  it('get 503 beyond the memory for answers, by account and by process', { timeout: 30_000 }, async () => {
    const [first, second, third] = [
      system.edge.keys.createKey(),
      system.edge.keys.createKey(),
      system.edge.keys.createKey(),
    ];
    const held = await stalledRead(system, first);
    assert.equal(held.statusCode, 200);
    const refused = await stalledRead(system, first);
    assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [503, '1']);
    assert.equal((await stalledRead(system, second)).statusCode, 200);
    assert.equal((await stalledRead(system, third)).statusCode, 503);
    assert.equal(sumOfSamples(await system.samples(), 'almanac_http_overload_total', { reason: 'answers' }), 2);
    held.destroy();
    await eventually(async () => assert.equal((await stalledRead(system, third)).statusCode, 200));
  });
});
