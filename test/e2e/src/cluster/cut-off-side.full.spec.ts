// Three nats-servers and seven services for two minutes. `check-without-leader.int.spec.ts` of keys changes what one leader says.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { keysRpc } from '@almanac/contracts';
import { eventually, testNumber } from '@almanac/testing';
import { type ApiClient, apiClient, post } from '../api.js';
import { type ClusterSystem, startClusterSystem, waitMs } from './cluster-system.js';

const cuts = testNumber('cuts', 4);
/** The server that is cut off leads for 10 s. Another one leads after 4 to 9 s. */
const isolatedMs = 11_000;
const revocationMs = 2_000;

const statusOf = (client: ApiClient, path: string, init: Parameters<ApiClient['send']>[1] = {}): Promise<number> =>
  client.send(path, init).then(
    ({ status }) => status,
    () => 0,
  );

const answered = <T>(request: () => Promise<T>): Promise<T> => eventually(request, { timeoutMs: waitMs });

describe('keys at a server that was cut off while it led EVT_KEYS', { timeout: (cuts + 2) * 120_000 }, () => {
  let system: ClusterSystem;
  let accountKey: string;
  before(async () => {
    system = await startClusterSystem();
    accountKey = await system.key();
  });
  after(() => system.stop());

  const newKey = async (client: ApiClient): Promise<{ id: string; secret: string }> => {
    const requestKey = randomUUID();
    const { id, secret } = await answered(() =>
      client.json(keysRpc.create.output, '/keys', post({ name: 'k' }, requestKey)),
    );
    return { id, secret: secret ?? assert.fail('the secret was shown before') };
  };
  const revoke = (client: ApiClient, id: string): Promise<void> =>
    answered(async () => assert.equal(await statusOf(client, `/keys/${id}`, { method: 'DELETE' }), 200));
  const leaderOfKeys = async (): Promise<string> => {
    const bus = await system.connect('keys');
    return answered(async () => (await bus.jsm.streams.info('EVT_KEYS')).cluster?.leader ?? assert.fail('no leader'));
  };

  it(`are not accepted for more than 2 s after they were revoked elsewhere, nor missing when they are new (${cuts} times)`, async (test) => {
    for (let n = 0; n < cuts; n += 1) {
      const leader = await leaderOfKeys();
      const at = system.cluster.names.indexOf(leader);
      const urls = [at, at + 1].map((of) => system.gateways[of % system.gateways.length] ?? assert.fail('no gateway'));
      const [here, there] = [clientsOf(urls[0] ?? ''), clientsOf(urls[1] ?? '')];
      const old = await newKey(there(accountKey));
      await answered(async () => assert.equal(await statusOf(here(old.secret), '/exports/formats'), 200));
      const watch = watchedUntil(system.cluster.isolate(leader, isolatedMs));
      await revoke(there(accountKey), old.id);
      const revokedAt = performance.now();
      const [used, removed] = [await newKey(there(accountKey)), await newKey(there(accountKey))];
      const seen = await watch({
        revoked: () => statusOf(here(old.secret), '/exports/formats'),
        used: () => statusOf(here(used.secret), '/exports/formats'),
        removed: () => statusOf(here(accountKey), `/keys/${removed.id}`, { method: 'DELETE' }),
      });
      const accepted = seen.filter(({ what, status }) => what === 'revoked' && status === 200);
      const latestMs = Math.max(0, ...accepted.map(({ beganAt }) => beganAt - revokedAt));
      test.diagnostic(
        `${seen.length} answers, a revoked key was accepted after ${Math.round(latestMs)} ms at the latest`,
      );
      assert.ok(latestMs <= revocationMs, `a revoked key was accepted after ${Math.round(latestMs)} ms`);
      assert.ok(seen.length > 0, 'nobody answered before the server was back');
      for (const { what, status } of seen)
        assert.ok(
          !(what === 'used' && status === 401) && !(what === 'removed' && status === 404),
          `${what}: ${status}`,
        );
      await system.cluster.allHealthy();
    }
  });
});

interface Seen {
  readonly what: string;
  /** By `performance.now()`. */
  readonly beganAt: number;
  readonly status: number;
}

const clientsOf =
  (url: string) =>
  (key: string): ApiClient =>
    apiClient(url, key);

/** Sends each request again and again until the end. Each on its own, because some wait for seconds. */
const watchedUntil = (end: Promise<void>) => {
  let isOver = false;
  const ended = end.finally(() => (isOver = true));
  return async (requests: Readonly<Record<string, () => Promise<number>>>): Promise<readonly Seen[]> => {
    const seen: Seen[] = [];
    const repeat = async ([what, send]: [string, () => Promise<number>]): Promise<void> => {
      while (!isOver) {
        const beganAt = performance.now();
        seen.push({ what, beganAt, status: await send() });
        await delay(50);
      }
    };
    await Promise.all([ended, ...Object.entries(requests).map(repeat)]);
    return seen;
  };
};
