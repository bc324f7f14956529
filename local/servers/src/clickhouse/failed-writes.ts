import { setTimeout as delay } from 'node:timers/promises';

const everyMs = 500;
const countSql = `SELECT sum(value) FROM system.events WHERE event = 'WriteBufferFromFileDescriptorWriteFailed'`;

export interface FailedWrites {
  /** Ends this process if a write has failed. Nothing may be acknowledged without it. */
  check(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * chDB ignores a write that fails, as on a full disk, and goes on: it answers an insert and commits a merge whose files
 * are empty. The real server reports an error. Only a counter of the engine shows such a write. Then this process ends
 * at once, before the sources of a merge are removed. Loading sets broken parts aside and uses their sources again.
 */
export const watchFailedWrites = (control: (sql: string) => Promise<{ text(): string }>): FailedWrites => {
  const stopping = new AbortController();
  const check = async (): Promise<void> => {
    if (Number((await control(countSql)).text()) > 0) endProcess();
  };
  const watch = async (): Promise<void> => {
    for (;;) {
      await delay(everyMs, undefined, { signal: stopping.signal, ref: false });
      await check().catch((error: unknown) => console.error(`Failed writes could not be counted: ${String(error)}`));
    }
  };
  const watching = watch().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
  return {
    check,
    stop: async () => {
      stopping.abort();
      await watching;
    },
  };
};

/** SIGKILL, because an orderly end lets merges finish. */
const endProcess = (): void => {
  console.error(
    'A write of the ClickHouse engine failed, as on a full disk. This process ends, and its parts are checked at the next start.',
  );
  process.kill(process.pid, 'SIGKILL');
};
