import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** Runs a part of a test. If it fails, the logs of the system are copied, because its home folder is removed. */
export const withLogs = async <T>(test: TestContext, home: string, name: string, run: () => Promise<T>): Promise<T> => {
  try {
    return await run();
  } catch (error) {
    const folder = await mkdtemp(join(process.env['ALMANAC_TEST_LOGS'] ?? tmpdir(), `${name}-`));
    await cp(join(home, 'logs'), folder, { recursive: true });
    test.diagnostic(`Logs of the system: ${folder}`);
    throw error;
  }
};
