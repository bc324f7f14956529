import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseApiKey, parseConfig, variable } from '@almanac/runtime';
import { ignoreOutputErrors, LocalServerError } from '@almanac/local-servers';
import { z } from 'zod';
import { storeGeneratedArchive } from './archive/store.js';
import { connectOperator, createAccount } from './operator.js';
import { writePrivate } from './secrets.js';
import { userMessageOf } from './error-message.js';
import { startSystem, type System } from './system.js';
import { demoEnvironment, demoFileOf, welcome } from './getting-started.js';

const config = z.object({
  ALMANAC_HOME: variable.text().default('.almanac').describe('folder of all state'),
  PORT: variable.port(8_080).describe('of the gateway; 0 takes a free one'),
});

const print = (line: string): void => console.log(line);

/** The command `npm start`. It runs until Ctrl-C. */
const main = async (): Promise<void> => {
  const { ALMANAC_HOME, PORT } = parseConfig(config);
  const ended = endSignal();
  const startedAt = performance.now();
  const system = await startSystem({ home: resolve(ALMANAC_HOME), port: PORT, print, signal: ended }).catch(
    (error: unknown) => {
      if (ended.aborted) return undefined;
      throw error;
    },
  );
  if (system === undefined) return;
  try {
    const key = await demoKey(system);
    await fillEmptyArchive(system, key);
    print(`Ready      in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
    const started = { home: system.home, baseUrl: system.baseUrls[0], key };
    await writePrivate(demoFileOf(system.home), demoEnvironment(started));
    print(welcome(started));
    if (!ended.aborted) await once(ended, 'abort');
  } finally {
    print('Stopping');
    await system.stop();
  }
};

const endSignal = (): AbortSignal => {
  const ended = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => ended.abort());
  return ended.signal;
};

/** The key of the demo account, which the first start creates. The file is its only copy. */
const demoKey = async (system: System): Promise<string> => {
  const path = join(system.home, 'demo-key');
  const known = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (parseApiKey(known) !== undefined) return known;
  const bus = await connectOperator({ url: system.infrastructure.natsUrl, password: system.secrets.nats.operator });
  try {
    const { key } = await createAccount(bus, { plan: 'full_book', keyName: 'demo' });
    await writePrivate(path, `${key}\n`);
    return key;
  } finally {
    await bus.close();
  }
};

const fillEmptyArchive = async (system: System, key: string): Promise<void> => {
  const answer = await fetch(`${system.baseUrls[0]}/api/v1/series?limit=1`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(10_000),
  });
  if (!answer.ok)
    throw new LocalServerError(`The gateway answered ${answer.status} to its first request: ${await answer.text()}`);
  const { count } = z.object({ count: z.int() }).parse(await answer.json());
  if (count > 0) return;
  const { markets, rows } = await storeGeneratedArchive(system, Math.floor(Date.now() / 1_000));
  print(`Archive    was empty: put in ${markets} generated markets with ${rows} observations`);
};

ignoreOutputErrors();
try {
  await main();
} catch (error) {
  console.error(userMessageOf(error));
  process.exitCode = 1;
}
// Children end with this process, and nothing may keep it alive after the stop.
process.exit();
