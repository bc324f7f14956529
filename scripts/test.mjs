// npm test: prepares the checkout, then runs the tests.
import { basename, delimiter, dirname, join } from 'node:path';
import { withEngine } from './engine/engine.mjs';
import { provideImages } from './engine/images.mjs';
import { commandLine } from './command-line.mjs';
import { withLock } from './lock.mjs';
import { nearNames } from './near-names.mjs';
import { isInPath } from './preflight.mjs';
import { providePython, supportedPythons } from './python-versions.mjs';
import { provision, testTools } from './provision.mjs';
import { StepError, binaries, foreground, home, main, node24, projectEnvironment, repository } from './steps.mjs';
import { isLong, isOfKind, namedIn, needsEngine, needsServers, testFiles } from './test-files.mjs';

const lastLine = '0 passed, 1 failed';
const longFileMs = 4 * 3_600_000;
const containersFileMs = 3_600_000;

/** Tests of the local programs themselves make no sense in containers. */
const runsInContainers = (file) => needsServers(file) && !file.startsWith(join('local', 'servers'));
/** Numbers for tests, which read them with `testNumber` of libs/testing. */
const numbers = ['--seed', '--kills', '--stops', '--freezes', '--cuts', '--faults', '--reads', '--inputs', '--events'];

/** A suite of Debian, whose nats-server the tests use instead of the machine's own. */
const natsSuite = '--nats';
/** A version of Python, for the tests of the Python client. */
const pythonVersion = '--python';
const options = ['--fast', '--full', '--long', '--containers', '--valkey'];
const valued = [...numbers, natsSuite, pythonVersion];

const usage = `Usage: npm test -- [PART …] [--fast | --full | --long | --containers] [--nats SUITE | --valkey] [--seed N] …

Runs the tests whose path contains one of the parts, such as libs/bus. Without a part, it runs all tests that a change can
break. The tests of a release are those and more: npm run test:full.

  --fast        only tests that need no server: under a minute once the checkout is built
  --full        also the tests of npm run test:full (.full.spec.ts, .recordings.spec.ts)
  --long        the long tests (.long.spec.ts) instead of the others. Each may take 4 hours
  --containers  tests of the images and of docker-compose.yml, and .int and .e2e tests against servers in containers.
                Uses the engine that answers, or starts Docker from Debian's packages as root. Fails without an engine
  --nats SUITE  the nats-server of another Debian suite, such as sid or trixie, instead of the machine's own
  --valkey      Valkey instead of Redis
  --python N    tests of the Python client on Python N of this machine, such as 3.13, with the newest packages
  --seed N      seed of random tests. The seed that a failed run printed repeats its operations
  --kills N     number of processes that the chaos test kills (1,000)
  --stops N     number of orderly stops of a server, and of lame ducks, on three nats-servers (3)
  --freezes N   number of processes that the chaos test freezes (300)
  --cuts N      number of servers that are cut off from the others (as many as freezes)
  --faults N    number of rolling faults on three nats-servers (1,000)
  --reads N     number of reads a second during rolling faults (25)
  --inputs N    number of generated inputs to the API (1,000,000 with --long)
  --events N    number of events in the test of restarts (10,000,000)`;

/** Returns the numbers as variables, the suite of `--nats`, the version of `--python`, and the arguments without them. */
const takeValues = (given) => {
  const env = {};
  const others = [];
  let suite;
  let python;
  for (let at = 0; at < given.length; at += 1) {
    const [name, value = given[at + 1]] = given[at].split('=');
    if (!valued.includes(name)) {
      others.push(given[at]);
      continue;
    }
    if (name === natsSuite) suite = suiteOf(value);
    else if (name === pythonVersion) python = versionOf(value);
    else if (/^\d{1,9}$/.test(value)) env[`ALMANAC_TEST_${name.slice(2).toUpperCase()}`] = value;
    else throw new StepError(`${name} must be a number of at most 9 digits, not ${value}.\n${lastLine}`);
    if (given[at] === name) at += 1;
  }
  return { env, suite, python, others };
};

/** The folder of a program that was found in the PATH, or else unpacked. */
const folderOf = (name) => {
  const folders = [...(process.env.PATH ?? '').split(delimiter), binaries];
  return join(folders.find((folder) => isInPath(name, [folder])) ?? binaries, dirname(name));
};

const suiteOf = (value) => {
  if (/^[a-z][a-z-]*$/.test(value)) return value;
  throw new StepError(`--nats must be the name of a suite of Debian, such as sid, not ${value}.\n${lastLine}`);
};

const versionOf = (value) => {
  if (supportedPythons.includes(value)) return value;
  throw new StepError(`--python must be one of ${supportedPythons.join(', ')}, not ${value}.\n${lastLine}`);
};

const runFiles = (files, env) => foreground(node24, [join(repository, 'scripts', 'run-tests.mjs'), ...files], env);

/** A folder of ClickHouse with all tables, which the tests copy. */
const storeTables = async (env) => {
  const folder = join(home, 'test-tables');
  const program = join(repository, 'libs', 'clickhouse', 'dist', 'testing', 'store-tables.js');
  const code = await foreground(node24, [program, folder], env);
  if (code !== 0) throw new StepError(`ClickHouse did not make its tables. The reason is above.\n${lastLine}`);
  return folder;
};

const kindOption = (file) =>
  isLong(file) ? 'npm run test:long --' : needsEngine(file) ? 'npm run test:containers --' : 'npm test -- --full';

/** Names what to type instead: the same part with another command, or the nearest names. */
const noFile = (parts, all) => {
  const elsewhere = namedIn(all, parts);
  const what = `No test file of this command has a path that contains ${parts.join(' or ')}.`;
  if (elsewhere.length > 0) return `${what} Run: ${kindOption(elsewhere[0])} ${parts.join(' ')}`;
  const near = [...new Set(parts.flatMap((part) => nearNames(part, all.flatMap(namesOf))))];
  return near.length === 0 ? what : `${what} Near names: ${near.join(', ')}`;
};

/** What a developer would type for a file: its package, a folder, or its name without suffixes. */
const namesOf = (file) => {
  const folders = dirname(file)
    .split('/')
    .filter((folder) => folder !== 'dist');
  return [folders.slice(0, 2).join('/'), ...folders.slice(1), basename(file).replace(/\..*/, '')];
};

/** With stand-ins, tests of servers would run the programs of `npm test` once more, so only the engine's own tests run. */
const runInContainers = (files, projectEnv) =>
  withEngine(async ({ env: engineEnv, isOwn }) => {
    const env = {
      ...projectEnv,
      ...engineVariables(engineEnv),
      ALMANAC_TEST_FILE_TIMEOUT_MS: String(containersFileMs),
    };
    const standIns = isOwn ? await provideImages(env) : [];
    if (standIns.length > 0) {
      console.log(`Tests of servers in containers are left out, since these are stand-ins: ${standIns.join(', ')}.`);
      return runFiles(files.filter(needsEngine), { ...env, ALMANAC_STAND_INS: standIns.join(' ') });
    }
    const code = await foreground(node24, [join(repository, 'libs', 'testing', 'dist', 'engine.js')], env);
    if (code !== 0) return code;
    const these = files.filter((file) => needsEngine(file) || runsInContainers(file));
    return runFiles(these, { ...env, ALMANAC_TEST_SERVERS: 'containers' });
  });

/** Node of the project, then the programs of the engine. */
const engineVariables = ({ PATH, DOCKER_HOST, DOCKER_CONFIG }) => ({
  PATH: [dirname(node24), PATH].join(delimiter),
  ...(DOCKER_HOST === undefined ? {} : { DOCKER_HOST }),
  ...(DOCKER_CONFIG === undefined ? {} : { DOCKER_CONFIG }),
});

const alreadyRuns = (pid) =>
  `Process ${pid} runs tests in this checkout, and its logs are in the same folder. Wait until it ends, or use a git worktree.\n${lastLine}`;

/** Provides what the files need, and runs them. Returns the exit code. */
const provideAndRun = async ({ files, parts, sizes, suite, python, fast, long, containers, valkey }) => {
  const newer = [...(suite === undefined ? [] : [`${suite}/nats-server`]), ...(valkey ? ['valkey/redis-server'] : [])];
  await provision({ tools: [...new Set([...(fast ? [] : testTools), ...newer])] });
  const env = { ...projectEnvironment(), ...sizes, ALMANAC_TEST_LOGS: join(home, 'test-logs') };
  // It is searched first.
  if (newer.length > 0) env.ALMANAC_BIN = folderOf(newer[0]);
  if (python !== undefined) env.ALMANAC_BIN = await providePython(python);
  if (long) env.ALMANAC_TEST_FILE_TIMEOUT_MS = String(longFileMs);
  env.ALMANAC_TEST_PARTS = parts.join(' ');
  if (containers) return runInContainers(files, env);
  if (files.some(needsServers)) env.ALMANAC_TEST_TABLES = await storeTables(env);
  return runFiles(files, env);
};

await main(async () => {
  const checked = await commandLine({
    command: 'npm test',
    usage,
    options,
    valued,
    takesNames: true,
    lastLine,
  });
  if (checked === undefined) return 0;
  const { env: sizes, suite, python, others: given } = takeValues(checked);
  const [fast, full, long, containers, valkey] = options.map((option) => given.includes(option));
  if (valkey && suite !== undefined) throw new StepError(`Use --nats or --valkey, not both.\n${lastLine}`);
  const parts = given.filter((argument) => !options.includes(argument));
  const files = namedIn(testFiles().filter(isOfKind({ fast, full, long, containers })), parts);
  if (files.length === 0) throw new StepError(`${noFile(parts, testFiles())}\n${lastLine}`);
  return withLock(
    join(home, 'tests.lock'),
    () => provideAndRun({ files, parts, sizes, suite, python, fast, long, containers, valkey }),
    { refusal: alreadyRuns },
  );
});
