import { setTimeout as delay } from 'node:timers/promises';
import type { RunningServer, ServerStarters } from '@almanac/local';
import { eventually } from './eventually.js';
import { type Losable, losable, testServers } from './servers.js';

export type ServerName = keyof ServerStarters;

/** Servers that can be lost while a whole system runs on them. */
export interface MortalServers {
  readonly starters: ServerStarters;
  /** `kill -9`, that long without it, and a start on the same folder and port; resolves when it answers again. */
  lose(name: ServerName, downMs: number): Promise<void>;
}

export const mortalServers = async (): Promise<MortalServers> => {
  const starters = await testServers();
  const running = new Map<ServerName, RunningServer & Losable>();
  const mortal =
    <Options extends object>(name: ServerName, start: (options: Options) => Promise<RunningServer>) =>
    async (options: Options): Promise<RunningServer> => {
      const one = await losable((port) => start(port === undefined ? options : { ...options, port }));
      running.set(name, one);
      return one;
    };
  return {
    starters: {
      nats: mortal('nats', (options) => starters.nats(options)),
      redis: mortal('redis', (options) => starters.redis(options)),
      clickhouse: mortal('clickhouse', (options) => starters.clickhouse(options)),
      s3: mortal('s3', (options) => starters.s3(options)),
    },
    lose: async (name, downMs) => {
      const one = running.get(name);
      if (one === undefined) throw new Error(`${name} does not run`);
      if (hasRestart(one)) return one.restart();
      await one.lose();
      await delay(downMs);
      // A busy machine may need more than the start's own deadline.
      await eventually(() => one.revive(), { timeoutMs: 120_000 });
    },
  };
};

/** A container's files are its own: it is killed and started, not made anew. */
const hasRestart = (server: RunningServer): server is RunningServer & { restart(): Promise<void> } =>
  'restart' in server;
