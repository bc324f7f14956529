import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { contract } from '@almanac/contracts';
import { createLogger } from '@almanac/runtime';
import { type ConfiguredNatsCluster, configuredNatsCluster, eventually } from '@almanac/testing';
import { z } from 'zod';
import { type AdminBus, connectBus, type Running } from '../bus.js';
import { leaveLameDuck } from './leave-lame-duck.js';
import { rpcClient } from '../rpc/rpc-client.js';
import { serveContracts } from '../rpc/serve-contracts.js';

const methodOf = (method: string, kind: 'command' | 'query') =>
  contract({
    service: 'catalog',
    method,
    kind,
    input: z.object({ n: z.int() }),
    output: z.object({ n: z.int() }),
    errors: [],
    timeoutMs: 30_000,
  });
const contracts = { command: methodOf('search', 'command'), query: methodOf('categories', 'query') };

describe('when a server of three begins to end as a lame duck', { timeout: 300_000 }, () => {
  let cluster: ConfiguredNatsCluster;
  const stops: (() => Promise<void>)[] = [];
  before(async () => {
    cluster = await configuredNatsCluster();
    stops.push(() => cluster.stop());
    await cluster.allHealthy();
  });
  after(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  /** Connected to the first server. */
  const connect = async (user: string, left: string[]): Promise<AdminBus> => {
    const [first = ''] = cluster.names;
    for (;;) {
      const bus = await connectBus({ url: cluster.url, user, password: cluster.passwordOf(user), replicas: 3 });
      if (bus.nc.info?.server_name === first) {
        const leaving = leaveLameDuck(bus.nc, (server) => left.push(server));
        stops.push(async () => {
          await leaving.stop();
          await bus.close();
        });
        return bus;
      }
      await bus.close();
    }
  };

  it('callers and services have moved before it ends, and each request is answered once', async () => {
    const left: string[] = [];
    const [caller, service] = [await connect('gateway', left), await connect('catalog', left)];
    const done: number[] = [];
    const handlers = {
      command: ({ n }: { n: number }) => {
        done.push(n);
        return { n };
      },
      query: ({ n }: { n: number }) => ({ n }),
    };
    const serving: Running = await serveContracts(service, contracts, handlers, createLogger('catalog', 'silent'));
    stops.push(() => serving.stop());
    const [first = ''] = cluster.names;
    let isOver = false;
    let sent = 0;
    const send = async (): Promise<void> => {
      while (!isOver) {
        const input = { n: (sent += 1) };
        const context = { requestId: 'r' };
        const rpc = rpcClient(caller);
        await Promise.all([
          rpc.call(contracts.command, { input, context }),
          rpc.call(contracts.query, { input, context }),
        ]);
      }
    };
    const sending = Promise.all(Array.from({ length: 8 }, send));
    sending.catch(() => (isOver = true));
    const ended = cluster.lameDuck(first);
    await eventually(
      () => {
        assert.equal(left.length, 2);
        for (const { nc } of [caller, service]) assert.notEqual(nc.info?.server_name ?? first, first);
      },
      { timeoutMs: 60_000 },
    );
    await ended;
    const sentBefore = sent;
    await eventually(() => assert.ok(sent > sentBefore + 100));
    isOver = true;
    await sending;
    assert.equal(new Set(done).size, done.length, 'no command was done twice');
    assert.equal(done.length, sent);
  });
});
