import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type AdminBus, connectBus, natsAccounts, rpcClient, subjects } from '@almanac/bus';
import { exportState, webhooksRpc } from '@almanac/contracts';
import { freePort, startNats, startProcess } from '@almanac/local';
import { argumentsOf } from '@almanac/system';
import { createStreams } from './event-history.js';
import type { BenchHarness } from './harness.js';
import type { BenchRow, Measured } from './row.js';

const password = randomUUID();
const neededPerS = 500;
/** Accounts with one webhook each. */
const accounts = Array.from({ length: 20 }, (_, n) => `bench${n}`.padEnd(12, '0'));
const batchN = 500;

/**
 * Events of exports, from their stream to a receiver in this process: matched, queued, signed, sent, logged and removed from
 * the queue by one process.
 */
const measure = async ({ home, size }: BenchHarness): Promise<Measured> => {
  const undo: (() => unknown)[] = [];
  try {
    const dir = await mkdtemp(join(home, 'webhooks-'));
    const nats = await startNats({
      dir: join(dir, 'nats'),
      accounts: natsAccounts(() => password, { admin: password }),
    });
    undo.push(() => nats.stop());
    const bus = await connectBus({ url: nats.url, user: 'admin', password });
    undo.push(() => bus.close());
    await createStreams(bus);
    const receiver = await startReceiver();
    undo.push(() => receiver.stop());
    await startService(dir, nats.url, undo);
    const gateway = await connectBus({ url: nats.url, user: 'gateway', password });
    undo.push(() => gateway.close());
    await createWebhooks(gateway, receiver.url);
    const eventsN = Math.min(size.starts.eventsN, 10_000);
    const beganAt = performance.now();
    const publishing = publish(bus, eventsN);
    await receiver.hasReceived(eventsN);
    const seconds = (performance.now() - beganAt) / 1_000;
    await publishing;
    const ours = eventsN / seconds;
    const notes = [`${eventsN} events of ${accounts.length} webhooks, ${receiver.repeated()} received twice`];
    return { ours, reference: neededPerS, ratio: ours / neededPerS, notes };
  } finally {
    for (const step of undo.toReversed()) await step();
  }
};

const startReceiver = async () => {
  const ids = new Set<unknown>();
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      requests += 1;
      ids.add(request.headers['webhook-id']);
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    hasReceived: async (count: number): Promise<void> => {
      const deadline = performance.now() + 300_000;
      while (ids.size < count) {
        if (performance.now() > deadline) throw new Error(`${ids.size} of ${count} events were received`);
        await delay(5);
      }
    },
    repeated: () => requests - ids.size,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

const startService = async (dir: string, natsUrl: string, undo: (() => unknown)[]): Promise<void> => {
  const healthPort = await freePort();
  const running = await startProcess({
    name: 'webhooks',
    command: process.execPath,
    args: argumentsOf('webhooks'),
    env: {
      PATH: process.env['PATH'],
      NATS_URL: natsUrl,
      NATS_USER: 'webhooks',
      NATS_PASSWORD: password,
      HEALTH_PORT: String(healthPort),
      WEBHOOK_SECRET: password,
      WEBHOOK_LOOPBACK: 'allowed',
    },
    logFile: join(dir, 'webhooks.log'),
    isReady: async () =>
      (await fetch(`http://127.0.0.1:${healthPort}/readyz`, { signal: AbortSignal.timeout(1_000) })).ok,
    readyTimeoutMs: 60_000,
    orphanSignal: 'SIGTERM',
    stopTimeoutMs: 12_000,
  });
  undo.push(() => running.stop());
};

const createWebhooks = async (bus: AdminBus, url: string): Promise<void> => {
  const client = rpcClient(bus);
  for (const account of accounts) {
    const input = { url, events: ['export.ready' as const] };
    await client.call(webhooksRpc.create, { input, context: { requestId: randomUUID(), account } });
  }
};

const publish = async (bus: AdminBus, eventsN: number): Promise<void> => {
  for (let n = 0; n < eventsN; n += batchN) {
    const batch = Array.from({ length: Math.min(batchN, eventsN - n) }, (_, at) => eventOf(n + at));
    await Promise.all(batch.map(([subject, event]) => bus.js.publish(subject, JSON.stringify(event))));
  }
};

const eventOf = (n: number): readonly [string, object] => {
  const account = accounts[n % accounts.length] ?? '';
  const id = randomUUID();
  const file = { storage_key: 'k', bytes: 10, row_count: 1, markets: 1, sha256: 'f'.repeat(64) };
  const question = { event: `E${n}`, ticker: null, series: null, day: null, streams: ['snapshots'], format: 'csv' };
  const requested = { question, grant: 'plan', file_key: 'k', filename: 'E.csv', requested_us: 1 };
  const state = exportState.parse({ status: 'ready', id, account, ...requested, file, ready_us: 2 });
  const time = Date.now() * 1_000;
  return [
    subjects.export(account, id),
    { id: randomUUID(), type: 'ExportReady', version: 1, time, account, data: { ...file, ready_us: 2 }, state },
  ];
};

export const webhookRows: readonly BenchRow[] = [
  {
    name: 'webhook deliveries',
    against: `${neededPerS} deliveries/s`,
    threshold: { atLeast: 1 },
    unit: '/s',
    measure,
  },
];
