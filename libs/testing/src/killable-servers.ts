import { setTimeout as delay } from 'node:timers/promises';
import type { RunningServer, ServerStarters } from '@almanac/local-servers';
import { eventually } from './eventually.js';
import { type Killable, killable, testServers } from './servers.js';

export type ServerName = keyof ServerStarters;

/** Servers that a test can kill below a running system. */
export interface KillableServers {
  readonly starters: ServerStarters;
  /** Sends `kill -9`. The server stays down, because the system takes the kill for its own stop. */
  kill(name: ServerName): Promise<void>;
  /** Sends `kill -9`, waits, and starts the server on the same folder and port. Resolves when it answers again. */
  killAndRestart(name: ServerName, downMs: number): Promise<void>;
  /** Starts a killed server on the same folder and port. */
  startAgain(name: ServerName): Promise<void>;
  pidOf(name: ServerName): number;
}

export const killableServers = async (): Promise<KillableServers> => {
  const starters = await testServers();
  const running = new Map<ServerName, RunningServer & Killable>();
  const killableStarter =
    <Options extends object>(name: ServerName, start: (options: Options) => Promise<RunningServer>) =>
    async (options: Options): Promise<RunningServer> => {
      const one = await killable((port) => start(port === undefined ? options : { ...options, port }));
      running.set(name, one);
      return one;
    };
  const serverOf = (name: ServerName): RunningServer & Killable => {
    const one = running.get(name);
    if (one === undefined) throw new Error(`${name} does not run`);
    return one;
  };
  // A busy machine may need longer than the start deadline.
  const startAgain = (name: ServerName): Promise<void> =>
    eventually(() => serverOf(name).startAgain(), { timeoutMs: 120_000 });
  return {
    starters: {
      nats: killableStarter('nats', (options) => starters.nats(options)),
      redis: killableStarter('redis', (options) => starters.redis(options)),
      clickhouse: killableStarter('clickhouse', (options) => starters.clickhouse(options)),
      s3: killableStarter('s3', (options) => starters.s3(options)),
    },
    kill: (name) => serverOf(name).kill(),
    killAndRestart: async (name, downMs) => {
      const one = serverOf(name);
      if (hasRestart(one)) return one.restart();
      await one.kill();
      await delay(downMs);
      await startAgain(name);
    },
    startAgain,
    pidOf: (name) => serverOf(name).pid,
  };
};

/** A container has its own files, so it is restarted and not created again. */
const hasRestart = (server: RunningServer): server is RunningServer & { restart(): Promise<void> } =>
  'restart' in server;
