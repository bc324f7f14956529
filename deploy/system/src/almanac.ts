import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs, parseEnv } from 'node:util';
import type { Bus } from '@almanac/bus';
import { DomainError, planId } from '@almanac/contracts';
import { connectOperator, createAccount, type OperatorConnection } from './operator.js';

const usage = `The operator's command line of a running Almanac.

  npm run almanac -- account create [--plan free|pro|full_book|internal]
      Opens an account and prints its first API key, alone on the last line.

It finds the system through NATS_URL and NATS_PASSWORD, or else through what npm start wrote into ALMANAC_HOME.`;

/** What the person who typed can put right; the message is for them. */
class UsageError extends Error {}

const connection = async (): Promise<OperatorConnection> => {
  const { NATS_URL, NATS_PASSWORD, ALMANAC_HOME = '.almanac' } = process.env;
  if (NATS_URL) return { url: NATS_URL, ...(NATS_PASSWORD ? { password: NATS_PASSWORD } : {}) };
  const path = join(resolve(ALMANAC_HOME), 'operator.env');
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError(`No running system is known: ${path} is missing. Start it with npm start, or set NATS_URL.`);
  });
  const { NATS_URL: url, NATS_PASSWORD: password } = parseEnv(text);
  if (!url) throw new UsageError(`${path} names no NATS_URL; start the system again.`);
  return { url, ...(password ? { password } : {}) };
};

const options = { plan: { type: 'string', default: 'free' }, help: { type: 'boolean', default: false } } as const;

const argumentsOf = () => {
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`, { cause: error });
  }
};

const main = async (): Promise<void> => {
  const { values, positionals } = argumentsOf();
  if (values.help) return console.log(usage);
  if (positionals.join(' ') !== 'account create') throw new UsageError(usage);
  const plan = planId.safeParse(values.plan);
  if (!plan.success) throw new UsageError(`There is no plan ${values.plan}: it is free, pro, full_book or internal.`);
  const bus = await connected(await connection());
  try {
    const { account, key } = await createAccount(bus, { plan: plan.data, keyName: 'default' });
    console.log(`Account ${account} on the plan ${plan.data}. The key is shown only now:\n${key}`);
  } finally {
    await bus.close();
  }
};

const connected = async (to: OperatorConnection): Promise<Bus> => {
  try {
    return await connectOperator(to);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`The system at ${to.url} does not answer (${why}). Start it with npm start.`, { cause });
  }
};

try {
  await main();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  if (error instanceof DomainError) console.error(error.detail);
  else console.error(error instanceof UsageError ? error.message : (error.stack ?? error.message));
  process.exitCode = 1;
}
