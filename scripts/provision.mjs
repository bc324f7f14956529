// Prepares a checkout on a bare machine: the servers, the npm packages, the compiled code. It runs on Node >= 18
// before anything is installed, so it uses only Node's own modules.
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpackPrograms } from './debian.mjs';
import { withLock } from './lock.mjs';
import {
  StepError,
  binaries,
  home,
  main,
  node24,
  projectEnvironment,
  repository,
  requireSpace,
  run,
  step,
} from './steps.mjs';

const pnpm = 'pnpm@12.21.0';
const serverNames = ['nats-server', 'redis-server'];
/**
 * Tools for tests only: kubectl builds the manifests of k8s/ from their overlays, haproxy balances two gateways,
 * Prometheus loads the rules and scrapes.
 */
export const testTools = ['kubectl', 'haproxy', 'prometheus'];
const installStamp = join(repository, 'node_modules', '.almanac-installed');
const firstInstallMegabytes = 1_000;
const logBytesMax = 5_000_000;

/** Does the missing steps, with `tools` in addition to the servers. Prints a line per step. Rejects with StepError. */
export const provision = async (tools = []) => {
  if (Number(process.versions.node.split('.')[0]) < 18) {
    throw new StepError(`Almanac needs Node 18 or later to start. This is ${process.version}.`);
  }
  await withLock(join(repository, '.almanac', 'provision.lock'), async () => {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    shortenLog();
    await step('Servers', () => providePrograms([...serverNames, ...tools]));
    await step('Packages', installPackages);
    await step('Build', build);
  });
};

const providePrograms = async (names) => {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length === 0) return `${names.join(' and ')} are available`;
  await unpackPrograms(missing);
  return `${missing.join(' and ')} unpacked from Debian's packages`;
};

const isInstalled = (name) =>
  [binaries, ...(process.env.PATH ?? '').split(delimiter)].some((folder) => {
    try {
      accessSync(join(folder || '.', name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** The stamp is written last, so an interrupted install runs again. */
const installPackages = async () => {
  const stamp = createHash('sha256');
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) stamp.update(readFileSync(join(repository, file)));
  const digest = stamp.digest('hex');
  if (existsSync(node24) && existsSync(installStamp) && readFileSync(installStamp, 'utf8') === digest) {
    return 'as in the lockfile';
  }
  if (!existsSync(node24)) requireSpace(repository, firstInstallMegabytes);
  // Without a terminal, pnpm stops at a question unless CI is set.
  const env = { ...process.env, ...homeForNpm(), CI: 'true' };
  await run('npx', ['--yes', pnpm, 'install', '--frozen-lockfile'], { what: 'Installing npm packages', env });
  if (!existsSync(node24))
    throw new StepError('The installation did not provide Node 24. Delete node_modules, then try again.');
  writeFileSync(installStamp, digest);
  return 'installed';
};

/** A user without a home folder (a service account) gets one here. */
const homeForNpm = () => {
  try {
    accessSync(process.env.HOME ?? '', constants.W_OK);
    return {};
  } catch {
    const folder = join(home, 'npm-home');
    mkdirSync(folder, { recursive: true });
    return { HOME: folder, XDG_DATA_HOME: folder, XDG_CACHE_HOME: folder };
  }
};

const build = async () => {
  removeStaleBuildInfo();
  const command = join(repository, 'node_modules', '.bin', 'tsc');
  await run(command, ['-b'], { what: 'The build', env: projectEnvironment(), showOutput: true });
};

/** tsc trusts its build info: if dist was deleted by hand, it must go too, or nothing is compiled. */
const removeStaleBuildInfo = () => {
  for (const folder of workspaceFolders()) {
    if (!existsSync(join(folder, 'dist'))) rmSync(join(folder, 'tsconfig.tsbuildinfo'), { force: true });
  }
};

/** The folders of the workspace, from the references in the root tsconfig. */
export const workspaceFolders = () => {
  const { references } = JSON.parse(readFileSync(join(repository, 'tsconfig.json'), 'utf8'));
  return references.map((reference) => join(repository, reference.path));
};

const shortenLog = () => {
  const path = join(home, 'provision.log');
  if (existsSync(path) && readFileSync(path).length > logBytesMax) rmSync(path);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(provision);
