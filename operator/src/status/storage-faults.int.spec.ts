import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type AdminBus, connectBus } from '@almanac/bus';
import { freePort, type RunningServer, startNats } from '@almanac/local-servers';
import { storageFaultsOf } from './storage-faults.js';

const storeBytesMax = 1_000_000;

describe('storageFaults', () => {
  let dir = '';
  let server: RunningServer;
  let bus: AdminBus;
  let natsMonitor = '';
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'almanac-places-'));
    const monitorPort = await freePort();
    server = await startNats({ dir, monitorPort, storeBytesMax });
    natsMonitor = `http://127.0.0.1:${monitorPort}`;
    bus = await connectBus({ url: server.url, user: 'admin' });
  });
  after(async () => {
    await bus.close();
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it('reports JetStream as full when it uses nine tenths of its limit', async () => {
    assert.deepEqual(await storageFaultsOf({ natsMonitor }), []);
    await bus.jsm.streams.add({ name: 'S', subjects: ['s'] });
    const message = new Uint8Array(95_000);
    for (let stored = 0; stored + message.length < storeBytesMax; stored += 95_100) await bus.js.publish('s', message);
    const [fault, ...others] = await storageFaultsOf({ natsMonitor });
    assert.deepEqual(others, []);
    assert.match(fault?.fault ?? '', /^JetStream at 127\.0\.0\.1:\d+ uses 9\d % of the storage of its server\.$/);
  });

  it('reports configured stores that do not answer, and checks no others', async () => {
    const unreachable = `http://127.0.0.1:${await freePort()}`;
    const [fault] = await storageFaultsOf({ natsMonitor: unreachable });
    assert.match(fault?.fault ?? '', /^The monitoring of NATS at 127\.0\.0\.1:\d+ does not answer: /);
    assert.deepEqual(await storageFaultsOf({}), []);
  });
});
