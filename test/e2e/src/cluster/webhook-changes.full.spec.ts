// The whole system on three nats-servers, for minutes: webhooks are changed while servers are killed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually, serversWithTables, testNumber } from '@almanac/testing';
import { withLogs } from '../with-logs.js';
import { loseServer } from './lose-server.js';
import { startOnCluster, type SystemOnCluster } from './system-on-cluster.js';
import { changeWebhooks } from './webhook-changes.js';

const kills = testNumber('kills', 6);
const streams = ['EVT_WEBHOOK', 'WEBHOOKS', undefined] as const;

/** The server that leads a stream of webhooks, or any. */
const serverOf = async (system: SystemOnCluster, kill: number): Promise<string> => {
  const stream = streams[kill % streams.length];
  if (stream === undefined) return system.cluster.names[kill % system.cluster.names.length] ?? assert.fail();
  const bus = await system.connect('webhooks');
  try {
    return await eventually(
      async () => (await bus.jsm.streams.info(stream)).cluster?.leader ?? assert.fail(`${stream} has no leader`),
      { timeoutMs: 120_000 },
    );
  } finally {
    await bus.close();
  }
};

void describe('webhooks on three nats-servers', { timeout: (kills + 5) * 120_000 }, () => {
  void it(`are changed once, with secrets that sign, over ${kills} x kill -9 of a server`, async (test) => {
    const environment = { webhooks: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } };
    const system = await startOnCluster({ gateways: 2, servers: await serversWithTables(), environment });
    try {
      await withLogs(test, system.running.home, 'webhook-changes', async () => {
        const changes = [1, 2].map(() => changeWebhooks(() => system.running.clients('pro')));
        for (let kill = 0; kill < kills; kill += 1) {
          await delay(2_000);
          await loseServer(system.cluster, 'kill -9', await serverOf(system, kill));
        }
        const ended = await Promise.allSettled(changes.map((one) => one.stop()));
        test.diagnostic(`Remark: ${JSON.stringify(changes.map(({ counts }) => counts))}`);
        for (const one of ended) if (one.status === 'rejected') throw one.reason;
      });
    } finally {
      await system.running.stop();
    }
  });
});
