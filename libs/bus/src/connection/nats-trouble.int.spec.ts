import assert from 'node:assert/strict';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { createHealth, createLogger, type Health, readiness } from '@almanac/runtime';
import { eventually, killableNats } from '@almanac/testing';
import { natsAccounts } from '../rights/accounts.js';
import type { Bus } from '../bus.js';
import { connectFromConfig } from '../process/connect-from-config.js';

import { awaitStream, ensureStream } from '../streams/streams.js';

const secret = 'a-secret-that-no-line-may-hold';

const accountsWith = (password: string) => natsAccounts(() => password, { admin: password });

/** A process that connects, with its health and log. */
interface Starting {
  readonly bus: Promise<Bus>;
  readonly health: Health;
  readonly lines: string[];
  readonly nats: () => Promise<string | undefined>;
  stop(): Promise<void>;
}

const started: Starting[] = [];

const start = (url: string, replicas = 1, user = 'keys'): Starting => {
  const health = createHealth();
  const lines: string[] = [];
  const stops: (() => Promise<void> | void)[] = [];
  const log = createLogger(user, 'info', { write: (line) => void lines.push(line) });
  const config = { NATS_URL: url, NATS_USER: user, NATS_PASSWORD: secret, NATS_REPLICAS: replicas };
  const bus = connectFromConfig(config, { health, log, onStop: (_, stop) => void stops.push(stop) });
  health.serving = true;
  const starting = {
    bus,
    health,
    lines,
    nats: async () => (await readiness(health)).checks['nats'],
    stop: async () => {
      for (const stop of stops.splice(0)) await stop();
      await bus.catch(() => undefined);
    },
  };
  started.push(starting);
  return starting;
};

const countOf = (lines: readonly string[], text: string): number => lines.filter((line) => line.includes(text)).length;

describe('a process without access to NATS', { timeout: 240_000 }, () => {
  let server: Awaited<ReturnType<typeof killableNats>>;
  before(async () => {
    server = await killableNats({ accounts: accountsWith(secret) });
  });
  after(() => server.stop());
  afterEach(async () => {
    for (const one of started.splice(0)) {
      await one.stop();
      assert.ok(!one.lines.join('').includes(secret));
    }
  });

  it('waits and says so when no server runs at its start, and is ready once one runs', async () => {
    await server.kill();
    const starting = start(server.url);
    await eventually(async () => assert.match((await starting.nats()) ?? '', /refused/i));
    await eventually(() => assert.equal(countOf(starting.lines, 'waiting for NATS'), 1));
    await server.startAgain();
    await starting.bus;
    await eventually(async () => assert.equal(await starting.nats(), 'ok'));
  });

  it('names its user when its password is refused at its start, and is ready once it is accepted', async () => {
    await server.kill();
    await server.startAgain({ accounts: accountsWith('another') });
    const starting = start(server.url);
    const why = 'the user keys or its password is refused';
    await eventually(async () => assert.equal(await starting.nats(), why));
    await eventually(() => assert.equal(countOf(starting.lines, why), 1));
    await server.kill();
    await server.startAgain({ accounts: accountsWith(secret) });
    await starting.bus;
    await eventually(async () => assert.equal(await starting.nats(), 'ok'));
  });

  it('reports a password that changed while it ran once, and continues once it is accepted', async () => {
    const starting = start(server.url);
    const bus = await starting.bus;
    let refusals = 0;
    void (async () => {
      for await (const { type } of bus.nc.status()) if (type === 'error') refusals += 1;
    })();
    await server.kill();
    await server.startAgain({ accounts: accountsWith('another') });
    const why = 'the user keys or its password is refused';
    await eventually(async () => assert.equal(await starting.nats(), why));
    // By default the client closes the connection at the second refusal.
    await eventually(() => assert.ok(refusals >= 3));
    await server.kill();
    await server.startAgain({ accounts: accountsWith(secret) });
    await eventually(async () => assert.equal(await starting.nats(), 'ok'));
    assert.ok(!bus.nc.isClosed());
    for (const reported of [why, 'NATS is unavailable', 'NATS is available again'])
      assert.equal(countOf(starting.lines, reported), 1, reported);
  });

  it('waits for a stream that its owner has not created yet, and names the stream', async () => {
    const starting = start(server.url);
    const owner = await start(server.url, 1, 'admin').bus;
    const bus = await starting.bus;
    const waiting = awaitStream(bus, 'EVT_KEYS');
    await eventually(async () => assert.match((await starting.nats()) ?? '', /^waits for the stream EVT_KEYS: /));
    await ensureStream(owner, 'EVT_KEYS');
    await waiting;
    assert.equal(await starting.nats(), 'ok');
  });

  it('stops waiting when it is stopped', async () => {
    await server.kill();
    const starting = start(server.url);
    await eventually(async () => assert.match((await starting.nats()) ?? '', /refused/i));
    await starting.stop();
    await assert.rejects(starting.bus);
    await server.startAgain();
  });
});

/** Greets like a nats-server of the given version, and answers each PING. */
const greeter = async (info: object, port = 0): Promise<{ server: Server; end: () => Promise<void> }> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.write(`INFO ${JSON.stringify({ server_id: 'x', max_payload: 1_048_576, headers: true, ...info })}\r\n`);
    socket.on('data', (data) => {
      if (String(data).includes('PING')) socket.write('PONG\r\n');
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const end = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { server, end };
};

describe('a process in front of a cluster that is too old', () => {
  let cluster: Awaited<ReturnType<typeof greeter>>;
  let starting: Starting;
  after(async () => {
    await starting.stop();
    await cluster.end();
  });

  it('does not start, names the reason, and starts once the cluster is new enough', async () => {
    cluster = await greeter({ version: '2.11.4', cluster: 'almanac' });
    const { port } = cluster.server.address() as AddressInfo;
    starting = start(`nats://127.0.0.1:${port}`, 3);
    const why = 'nats-server 2.11.4 cannot keep 3 replicas safely: 2.12 or later is needed';
    await eventually(async () => assert.equal(await starting.nats(), why));
    await cluster.end();
    cluster = await greeter({ version: '2.12.0', cluster: 'almanac' }, port);
    await starting.bus;
    await eventually(async () => assert.equal(await starting.nats(), 'ok'));
  });

  it('stops being ready when it finds an older server in the cluster again, as after a rollback', async () => {
    const { port } = cluster.server.address() as AddressInfo;
    await cluster.end();
    cluster = await greeter({ version: '2.11.4', cluster: 'almanac' }, port);
    await eventually(async () => assert.match((await starting.nats()) ?? '', /2\.11\.4 cannot keep 3 replicas/));
  });

  it('starts with one replica of each stream, and reports the cluster as degraded', async () => {
    const { port } = cluster.server.address() as AddressInfo;
    const single = start(`nats://127.0.0.1:${port}`);
    await single.bus;
    const { degraded = {} } = await readiness(single.health);
    assert.match(degraded['nats_version'] ?? '', /2\.11\.4 is too old in the cluster almanac/);
    await single.stop();
  });
});
