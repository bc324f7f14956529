import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@almanac/local-servers';
import { connectOperator, createAccount, storeGeneratedArchive } from '@almanac/operator';
import { z } from 'zod';
import { differenceFrom, pasteIntoBash, tourCommands } from '../start/documented-commands.js';
import { repository } from '../start/npm-start.js';

const run = promisify(execFile);
const timeoutMs = 600_000;
/** Some machines may not open the 262,144 of the default. */
const openFilesMax = '16384';

/** Runs the client of the engine in a checkout, and returns what it prints. Rejects with its messages. */
export const docker = async (args: readonly string[], checkout = repository): Promise<string> => {
  const options = { cwd: checkout, timeout: timeoutMs, maxBuffer: 50_000_000 };
  const { stdout } = await run('docker', args, options);
  return stdout;
};

const container = z.object({ Service: z.string(), State: z.string(), Health: z.string() });

/** A system from docker-compose.yml with its own name, ports and passwords. */
export const composeProject = async (more: Readonly<Record<string, string>> = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'almanac-compose-'));
  const name = `almanac-${randomBytes(4).toString('hex')}`;
  const [port, natsPort, s3Port] = await Promise.all([freePort(), freePort(), freePort()]);
  const passwords = await randomPasswords();
  const variables: Readonly<Record<string, string>> = {
    ...passwords,
    PORT: String(port),
    NATS_PORT: String(natsPort),
    S3_PORT: String(s3Port),
    S3_PUBLIC_URL: `http://127.0.0.1:${s3Port}`,
    OPEN_FILES_MAX: openFilesMax,
    ...more,
  };
  const envFile = join(folder, '.env');
  await writeFile(
    envFile,
    Object.entries(variables)
      .map(([key, value]) => `${key}='${value}'\n`)
      .join(''),
  );
  const composeIn = (checkout: string, ...args: readonly string[]): Promise<string> =>
    docker(['compose', '--project-name', name, '--env-file', envFile, ...args], checkout);
  const compose = (...args: readonly string[]): Promise<string> => composeIn(repository, ...args);
  return {
    folder,
    compose,
    /** As `compose`, with the docker-compose.yml of another checkout. */
    composeIn,
    baseUrl: `http://127.0.0.1:${port}`,
    openFilesMax,
    natsUrl: `nats://127.0.0.1:${natsPort}`,
    password: (variable: string): string => passwords[variable] ?? '',
    /** The state and the health of every container, by its service. */
    containers: async () => {
      const lines = (await compose('ps', '--all', '--format', 'json')).split('\n').filter((line) => line !== '');
      const found = lines.map((line) => container.parse(JSON.parse(line)));
      return new Map(found.map((one) => [one.Service, one]));
    },
    /** How often the engine has started the container again. */
    restarts: async (service: string): Promise<number> => {
      const id = (await compose('ps', '--all', '--quiet', service)).trim();
      return Number(await docker(['inspect', '--format', '{{.RestartCount}}', id]));
    },
    remove: async (): Promise<void> => {
      await compose('down', '--volumes', '--timeout', '15');
      await rm(folder, { recursive: true, force: true });
    },
  };
};

export type ComposeProject = Awaited<ReturnType<typeof composeProject>>;

/** Creates an account, stores the example archive and writes the files that docs/tour.md reads. Returns a key. */
export const fillForTour = async (project: ComposeProject): Promise<string> => {
  const bus = await connectOperator({ url: project.natsUrl, password: project.password('NATS_PASSWORD_OPERATOR') });
  const { key } = await createAccount(bus, { plan: 'full_book', keyName: 'demo' });
  await bus.close();
  const infrastructure = { natsUrl: project.natsUrl };
  const secrets = { nats: { ingest: project.password('NATS_PASSWORD_INGEST') } };
  await storeGeneratedArchive({ infrastructure, secrets }, Math.floor(Date.now() / 1_000));
  await writeFile(join(project.folder, 'demo.env'), `API=${project.baseUrl}/api/v1\nKEY=${key}\n`);
  return key;
};

/** Runs docs/tour.md and compares each answer with the page. */
export const takeTour = async (project: ComposeProject): Promise<void> => {
  const tour = await tourCommands(repository);
  const results = await pasteIntoBash(tour, { cwd: repository, env: { ...process.env, ALMANAC_HOME: project.folder } });
  for (const { line, answer, output, code } of results) {
    assert.equal(code, 0, `${line}\n${output}`);
    const difference = answer === null ? null : differenceFrom(answer, output);
    assert.equal(difference, null, `${line}\n${difference}\nThe answer is:\n${output}`);
  }
  assert.equal(results.length, tour.length);
};

/** A password of letters for each variable that .env.example leaves empty. */
const randomPasswords = async (): Promise<Record<string, string>> => {
  const example = await readFile(join(repository, '.env.example'), 'utf8');
  const names = [...example.matchAll(/^(\w+)=$/gm)].map(([, variable = '']) => variable);
  const letters = (): string => Array.from(randomBytes(40), (byte) => String.fromCodePoint(97 + (byte % 26))).join('');
  return Object.fromEntries(names.map((variable) => [variable, letters()]));
};
