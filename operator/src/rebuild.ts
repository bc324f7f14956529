import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';

interface Model {
  readonly sentence: string;
  /** Rebuilds the model and exits with 0. The environment tells it how to reach the system. */
  readonly program: string;
  /** The file in ALMANAC_HOME with its environment. Its NATS user is the model's service. */
  readonly connection: string;
}

const models: ReadonlyMap<string, Model> = new Map([
  [
    'catalogue',
    {
      sentence: 'series, events, markets and their figures in ClickHouse, from the events of EVT_CATALOG',
      program: fileURLToPath(new URL('../../services/catalog/dist/rebuild/main.js', import.meta.url)),
      connection: 'rebuild.env',
    },
  ],
  [
    'exports',
    {
      sentence: 'the exports of each account in ClickHouse, from the events of EVT_EXPORT',
      program: fileURLToPath(new URL('../../services/export/dist/rebuild/main.js', import.meta.url)),
      connection: 'rebuild-exports.env',
    },
  ],
]);

const usage = `Rebuilds a read model from its events. The system serves requests and accepts changes meanwhile.

  npm run rebuild -- MODEL

${[...models].map(([name, { sentence }]) => `  ${name.padEnd(11)}${sentence}`).join('\n')}

If CLICKHOUSE_URL is set, the command connects with NATS_URL, NATS_PASSWORD (of the user catalog, or export for exports),
CLICKHOUSE_URL, CLICKHOUSE_USER and CLICKHOUSE_PASSWORD (of a user that may change the schema). Otherwise it uses the
file that npm start writes to ALMANAC_HOME.`;

class UsageError extends Error {}

const environmentOf = async (environment: NodeJS.ProcessEnv, { connection }: Model): Promise<NodeJS.ProcessEnv> => {
  if (environment['CLICKHOUSE_URL']) return environment;
  const path = join(resolve(environment['ALMANAC_HOME'] || '.almanac'), connection);
  const text = await readFile(path, 'utf8').catch(() => {
    const sentence = `No running system found: ${path} is missing. Start the system with npm start, or set CLICKHOUSE_URL.`;
    throw new UsageError(sentence);
  });
  return { ...environment, ...parseEnv(text) };
};

const main = async (names: readonly string[]): Promise<number> => {
  const [name = '', ...more] = names;
  if (name === '' || name === '--help') {
    console.log(usage);
    return 0;
  }
  const model = models.get(name);
  if (model === undefined) throw new UsageError(`Unknown read model ${JSON.stringify(name)}.\n\n${usage}`);
  if (more.length > 0) throw new UsageError(`Name one read model, not ${names.length}.\n\n${usage}`);
  const env = await environmentOf(process.env, model);
  const child = spawn(process.execPath, ['--enable-source-maps', model.program], { env, stdio: 'inherit' });
  // Ctrl-C reaches both processes. Other signals reach only this one, so they are forwarded.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void (signal === 'SIGINT' || child.kill(signal)));
  }
  await once(child, 'exit');
  return child.exitCode ?? 128 + constants.signals[child.signalCode ?? 'SIGTERM'];
};

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Error)) throw error;
  console.error(error instanceof UsageError ? error.message : (error.stack ?? error.message));
  process.exitCode = 1;
}
