import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectBus, type NatsAccount } from '@almanac/bus';
import { acceptsNatsClients, findBinary, freePort, natsAccountsBlock, startProcess } from '@almanac/local';
import { eventually } from '@almanac/testing';

export interface NatsNode {
  readonly url: string;
  readonly pid: number;
}

/** A cluster of three nats-servers, of which two run at first. Streams created now have no replica on the third. */
export interface NatsCluster {
  readonly url: string;
  third(): Promise<NatsNode>;
  stop(): Promise<void>;
}

/** Other tests may use both cores. */
const formedMs = 60_000;

export const startNatsCluster = async (accounts: Readonly<Record<string, NatsAccount>>): Promise<NatsCluster> => {
  const dir = await mkdtemp(join(tmpdir(), 'almanac-test-cluster-'));
  const stops: (() => Promise<void>)[] = [
    () => rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  ];
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).toReversed()) await end();
  };
  const routePorts = [await freePort(), await freePort(), await freePort()];
  const routes = routePorts.map((port) => `nats-route://127.0.0.1:${port}`);
  const start = async (index: number): Promise<NatsNode> => {
    const [port, name] = [await freePort(), `node-${index}`];
    const configuration = {
      server_name: name,
      listen: `127.0.0.1:${port}`,
      jetstream: { store_dir: join(dir, name) },
      cluster: { name: 'test', listen: `127.0.0.1:${routePorts[index]}`, routes },
      ...natsAccountsBlock(accounts),
    };
    const file = join(dir, `${name}.conf`);
    await writeFile(file, JSON.stringify(configuration), { mode: 0o600 });
    const running = await startProcess({
      name: `The nats-server ${name}`,
      command: await findBinary('nats-server'),
      args: ['-c', file],
      logFile: join(dir, `${name}.log`),
      isReady: () => acceptsNatsClients(port, name),
    });
    stops.push(() => running.stop());
    return { url: `nats://127.0.0.1:${port}`, pid: running.pid };
  };
  try {
    const first = await start(0);
    await start(1);
    await works(first.url, accounts);
    const third = async (): Promise<NatsNode> => {
      const node = await start(2);
      await works(node.url, accounts);
      return node;
    };
    return { url: first.url, third, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

/** During the election of a leader, earlier requests stay unanswered. */
const works = (url: string, accounts: Readonly<Record<string, NatsAccount>>): Promise<void> =>
  eventually(
    async () => {
      const login = accounts['CALLS']?.users.find(({ publish }) => publish.includes('>'));
      assert.ok(login !== undefined, 'a user that may do everything');
      const bus = await connectBus({ url, user: login.user, password: login.password });
      try {
        await bus.jsm.streams.add({ name: 'EVT_FILE', subjects: ['evt.file.>'] });
        await bus.jsm.streams.delete('EVT_FILE');
      } finally {
        await bus.close();
      }
    },
    { timeoutMs: formedMs },
  );
