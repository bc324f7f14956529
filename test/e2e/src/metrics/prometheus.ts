import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findBinary, freePort, type RunningProcess, startProcess } from '@almanac/local-servers';
import { scrapeConfigFor } from '@almanac/test-deploy';
import { z } from 'zod';

/** A rule in the API of Prometheus. `health` is `unknown` until its first evaluation. */
const rulesAnswer = z.object({
  data: z.object({
    groups: z.array(
      z.object({
        rules: z.array(z.object({ name: z.string(), health: z.string(), lastError: z.string().optional() })),
      }),
    ),
  }),
});
const targetsAnswer = z.object({
  data: z.object({ activeTargets: z.array(z.object({ health: z.string(), lastError: z.string() })) }),
});
const queryAnswer = z.object({
  status: z.string(),
  error: z.string().optional(),
  data: z.object({ result: z.array(z.unknown()) }).optional(),
});

export interface Prometheus extends RunningProcess {
  readonly targets: () => Promise<z.output<typeof targetsAnswer>['data']['activeTargets']>;
  readonly rules: () => Promise<z.output<typeof rulesAnswer>['data']['groups'][number]['rules']>;
  /** The number of series in the result. Throws the message of Prometheus for an invalid expression. */
  readonly seriesOf: (expr: string) => Promise<number>;
}

/** A real Prometheus with the project's configuration and rules, which scrapes the processes at their health ports. */
export const startPrometheus = async (folder: string, healthPorts: readonly number[]): Promise<Prometheus> => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const file = join(folder, 'prometheus.json');
  const targets = healthPorts.map((healthPort) => `127.0.0.1:${healthPort}`);
  // JSON is valid YAML.
  await writeFile(file, JSON.stringify(await scrapeConfigFor(targets)));
  const query = async <T>(path: string, shape: z.ZodType<T>): Promise<T> => {
    const answer = await fetch(`${url}/api/v1/${path}`, { signal: AbortSignal.timeout(10_000) });
    return shape.parse(await answer.json());
  };
  const running = await startProcess({
    name: 'prometheus',
    command: await findBinary('prometheus'),
    args: [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'prometheus')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    env: { PATH: process.env['PATH'] },
    logFile: join(folder, 'prometheus.log'),
    isReady: async () => (await fetch(`${url}/-/ready`, { signal: AbortSignal.timeout(1_000) })).ok,
  });
  return {
    ...running,
    targets: async () => (await query('targets', targetsAnswer)).data.activeTargets,
    rules: async () => (await query('rules', rulesAnswer)).data.groups.flatMap((group) => group.rules),
    seriesOf: async (expr) => {
      const { status, error, data } = await query(`query?query=${encodeURIComponent(expr)}`, queryAnswer);
      if (status !== 'success' || data === undefined) throw new Error(`${expr}: ${error}`);
      return data.result.length;
    },
  };
};
