import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ClickHouseUser } from './clickhouse/access.js';
import { toEnvironment } from './clickhouse/settings.js';
import { threadsNeeded } from './clickhouse/pool-sizes.js';
import { onPort } from './ports.js';
import { processHeader, startProcess, type RunningProcess } from './process.js';

export type { ClickHouseUser } from './clickhouse/access.js';

export interface ClickHouseOptions {
  /** Data and log, created if missing. Only one process at a time may use it. */
  readonly dir: string;
  readonly port?: number;
  /** At least one needs neither `tables` nor `readonly`, to create the schema. */
  readonly users: readonly ClickHouseUser[];
  /** Arguments of the engine instead of its configuration file. */
  readonly engineArguments?: readonly string[];
  /** Ends a start that has not finished. */
  readonly stopping?: AbortSignal | undefined;
}

export interface RunningClickHouse extends RunningProcess {
  readonly url: string;
  readonly port: number;
}

/** Starts ClickHouse's engine behind its HTTP interface on 127.0.0.1, as a child that ends with this process. */
export const startClickHouse = async ({
  dir,
  port,
  users,
  engineArguments,
  stopping,
}: ClickHouseOptions): Promise<RunningClickHouse> =>
  onPort(port, 'ClickHouse', async (chosen) => {
    const url = `http://127.0.0.1:${chosen}`;
    const child = await startProcess({
      name: 'ClickHouse',
      command: process.execPath,
      args: [fileURLToPath(new URL('./clickhouse/main.js', import.meta.url))],
      port: chosen,
      env: {
        ...process.env,
        UV_THREADPOOL_SIZE: String(threadsNeeded),
        ...toEnvironment({ dir, port: chosen, users, engineArguments }),
      },
      logFile: join(dir, 'clickhouse.log'),
      stopping,
      isReady: async (pid) => {
        const answer = await fetch(`${url}/ping`, { signal: AbortSignal.timeout(1_000) });
        return answer.ok && answer.headers.get(processHeader) === String(pid);
      },
      // It loads its parts first.
      readyTimeoutMs: 180_000,
    });
    return { ...child, url, port: chosen };
  });
