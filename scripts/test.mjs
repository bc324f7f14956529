// npm test: prepares the checkout, then runs the tests.
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { withEngine } from './engine/engine.mjs';
import { provideImages } from './engine/images.mjs';
import { commandLine } from './command-line.mjs';
import { provision, testTools, workspaceFolders } from './provision.mjs';
import { StepError, foreground, home, main, node24, projectEnvironment, repository } from './steps.mjs';

const lastLine = '0 passed, 1 failed';
const hourMs = 3_600_000;

/** Finds test files by their source, so that a compiled test of a deleted source does not run. */
const testFiles = ({ long, containers }) => {
  const files = [];
  for (const folder of workspaceFolders()) {
    for (const source of sourcesIn(join(folder, 'src'))) {
      if (!source.endsWith('.spec.ts') || source.endsWith('.long.spec.ts') !== long) continue;
      if (needsEngine(source) && !containers) continue;
      files.push(relative(repository, join(folder, 'dist', source.replace(/\.ts$/, '.js'))));
    }
  }
  // oxlint-disable-next-line unicorn/no-array-sort -- Node 18 has no toSorted.
  return files.sort((one, other) => (one < other ? -1 : 1));
};

const needsEngine = (file) => file.includes('.containers.spec.');
const needsServers = (file) => /\.(int|e2e)\./.test(file);
/** Tests of the local programs themselves make no sense in containers. */
const runsInContainers = (file) => needsServers(file) && !file.startsWith(join('deploy', 'local'));
const isFast = (file) => !needsServers(file) && !file.includes('.recordings.');
const options = ['--fast', '--long', '--containers'];

const usage = `Usage: npm test -- [PART …] [--fast | --long | --containers]

Runs the tests whose path contains one of the parts, such as libs/bus. Without a part, it runs all tests.

  --fast        only tests that need no server and no recording: under a minute once the checkout is built
  --long        the large versions (.long.spec.ts) in place of the others, each with an hour
  --containers  tests of the images and of docker-compose.yml, and .int and .e2e tests against servers in containers.
                Uses the engine that answers, or starts Docker from Debian's packages as root; fails without one`;

const sourcesIn = (folder, inside = '') => {
  if (!existsSync(folder)) return [];
  return readdirSync(join(folder, inside), { withFileTypes: true }).flatMap((entry) => {
    const path = join(inside, entry.name);
    return entry.isDirectory() ? sourcesIn(folder, path) : [path];
  });
};

const namedParts = () =>
  process.argv
    .slice(2)
    .filter((argument) => !options.includes(argument))
    .join(' or ');

const runFiles = (files, env) => {
  if (files.length === 0)
    throw new StepError(`No path of a test file contains ${namedParts() || '.spec.ts'}.\n${lastLine}`);
  return foreground(node24, [join(repository, 'scripts', 'run-tests.mjs'), ...files], env);
};

/** With stand-ins, tests of servers would run the programs of `npm test` once more, so only the engine's own tests run. */
const runInContainers = (files, projectEnv) =>
  withEngine(async ({ env: engineEnv, isOwn }) => {
    const env = { ...projectEnv, ...engineVariables(engineEnv), ALMANAC_TEST_FILE_TIMEOUT_MS: String(hourMs) };
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

await main(async () => {
  const given = await commandLine({ command: 'npm test', usage, options, takesNames: true, lastLine });
  if (given === undefined) return 0;
  const [fast, long, containers] = options.map((option) => given.includes(option));
  await provision({ tools: fast ? [] : testTools });
  const env = { ...projectEnvironment(), ALMANAC_TEST_LOGS: join(home, 'test-logs') };
  if (long) env.ALMANAC_TEST_FILE_TIMEOUT_MS = String(hourMs);
  const patterns = given.filter((argument) => !options.includes(argument));
  const isNamed = (file) => patterns.length === 0 || patterns.some((part) => file.includes(part));
  const files = testFiles({ long, containers }).filter((file) => (!fast || isFast(file)) && isNamed(file));
  if (containers) return runInContainers(files, env);
  return runFiles(files, env);
});
