import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { rpcClient } from '@almanac/bus';
import { webhooksRpc } from '@almanac/contracts';
import { z } from 'zod';
import { awaitNoReason } from './concurrent.js';
import { exportReady, publishEvents } from './event-history.js';
import { withOwnServices } from './own-services.js';
import { secondsSince } from './pairs.js';
import { type BenchEntry, type BenchFolder, type Measured, measuredAgainst } from './row.js';

const neededPerS = 500;
/** Accounts with one webhook each. */
const accounts = Array.from({ length: 20 }, (_, n) => `bench${n}`.padEnd(12, '0'));

/**
 * Events of exports, from their stream to a receiver in this process: matched, queued, signed, sent, logged and removed from
 * the queue by one process.
 */
const deliveries = (bench: BenchFolder): Promise<Measured> =>
  withOwnServices(bench, async ({ admin, connect, start }) => {
    const { eventsN } = bench.size.webhooks;
    const receiver = await startReceiver();
    try {
      await start('webhooks', { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
      const client = rpcClient(await connect('gateway'));
      for (const account of accounts) {
        const input = { url: receiver.url, events: ['export.ready' as const] };
        await client.call(webhooksRpc.create, { input, context: { requestId: randomUUID(), account } });
      }
      const startedAt = performance.now();
      const publishing = publishEvents(admin, 0, eventsN, (n) => exportReady(n, accounts[n % accounts.length] ?? ''));
      await receiver.hasReceived(eventsN);
      const rate = eventsN / secondsSince(startedAt);
      await publishing;
      const note = `${eventsN} events of ${accounts.length} webhooks, ${receiver.repeated()} received twice`;
      return measuredAgainst(rate, neededPerS, note);
    } finally {
      receiver.stop();
    }
  });

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
  const { port } = z.object({ port: z.int() }).parse(server.address());
  const reasonToWait = (count: number) => (): Promise<string | undefined> =>
    Promise.resolve(ids.size < count ? `${ids.size} of ${count} events were received` : undefined);
  return {
    url: `http://127.0.0.1:${port}/`,
    hasReceived: (count: number) => awaitNoReason(reasonToWait(count), { pollMs: 5, mostMs: 300_000 }),
    repeated: () => requests - ids.size,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

export const webhookRows: readonly BenchEntry[] = [
  {
    name: 'webhook deliveries',
    gain: 'A user hears of a file within seconds, also when thousands become ready at once.',
    against: `${neededPerS} deliveries/s`,
    threshold: { atLeast: 1 },
    unit: '/s',
    isAlone: true,
    measure: deliveries,
  },
];
