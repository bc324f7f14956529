import assert from 'node:assert/strict';
import { type ProcessName, processNames, usersOf } from '@almanac/contracts';
import type { System } from '@almanac/operator';
import { eventually, type ServerName } from '@almanac/testing';
import { z } from 'zod';
import { type ApiClient, errorBody, post } from '../api.js';

/** The processes that use a server, the name of its check, and the message for a refused password. */
export interface UsedServer {
  readonly name: ServerName;
  readonly of: readonly ProcessName[];
  readonly check: string;
  readonly reportedFault: RegExp;
  /** Whether the processes also work without it. */
  readonly without: boolean;
}

export const usedServers: readonly UsedServer[] = [
  {
    name: 'nats',
    of: processNames,
    check: 'nats',
    reportedFault: /the user \w+ or its password is refused/,
    without: false,
  },
  {
    name: 'clickhouse',
    of: usersOf('clickhouse'),
    check: 'clickhouse',
    reportedFault: /Authentication failed/,
    without: false,
  },
  {
    name: 'redis',
    of: usersOf('redis'),
    check: 'redis',
    reportedFault: /refuses the login/,
    without: true,
  },
  { name: 's3', of: usersOf('s3'), check: 'object_store', reportedFault: /refused/, without: false },
];

const readyz = z.object({
  ready: z.boolean(),
  checks: z.record(z.string(), z.string()),
  degraded: z.record(z.string(), z.string()).default({}),
});

export const stateOf = async (system: System, service: string): Promise<z.output<typeof readyz>> => {
  const { healthPort } = system.services.get(service) ?? assert.fail(service);
  return readyz.parse(await (await fetch(`http://127.0.0.1:${healthPort}/readyz`)).json());
};

/** Resolves when each process that uses the server reports that it is refused. */
export const isRefused = (system: System, { of, check, reportedFault, without }: UsedServer): Promise<void> =>
  eventually(
    async () => {
      for (const service of of) {
        const { checks, degraded } = await stateOf(system, service);
        assert.match((without ? degraded : checks)[check] ?? '', reportedFault, service);
      }
    },
    { timeoutMs: 60_000 },
  );

export interface Walk {
  /** Sends requests that reach every service, for another market each time. Returns the number of 503 answers. */
  walk(): Promise<number>;
  /** Resolves when every process is ready and no request is refused. */
  isWell(): Promise<void>;
}

/** A client that asks for these markets and this export. Each refusal must be a 503 that says when to repeat it. */
export const walkThrough = (
  system: System,
  api: ApiClient,
  { tickers, exported }: { tickers: readonly string[]; exported: string },
): Walk => {
  let walks = 0;
  const walk = async (): Promise<number> => {
    walks += 1;
    const ticker = tickers[walks % tickers.length] ?? assert.fail();
    const paths = [
      '/categories',
      `/markets?limit=${1 + (walks % 90)}`,
      `/search?q=bitcoin${walks}`,
      `/markets/${ticker}`,
      `/markets/${ticker}/snapshots?limit=${1 + walks}`,
      `/markets/${ticker}/preview`,
      '/plan',
      '/keys',
      '/webhooks',
      '/exports',
      `/exports/${exported}`,
      `/exports/${exported}/file`,
    ];
    const answers = await Promise.all([
      ...paths.map(async (path) => ({ path, ...(await api.send(path)) })),
      api.send('/exports', post({ ticker, format: 'jsonl.gz' })).then((answer) => ({ path: 'POST', ...answer })),
    ]);
    for (const { path, status, headers, bytes } of answers) {
      if (status === 200) continue;
      assert.equal(status, 503, `${path}: ${bytes.toString()}`);
      assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/, path);
      assert.ok(['unavailable', 'conflict'].includes(errorBody.parse(JSON.parse(bytes.toString())).code), path);
    }
    return answers.filter(({ status }) => status !== 200).length;
  };
  const isWell = (): Promise<void> =>
    eventually(
      async () => {
        assert.equal(await walk(), 0);
        for (const service of processNames) {
          const { ready, degraded } = await stateOf(system, service);
          assert.ok(ready, service);
          for (const { check } of usedServers) assert.equal(degraded[check], undefined, service);
        }
      },
      { timeoutMs: 120_000 },
    );
  return { walk, isWell };
};
