// npm test [-- <parts of paths>]: prepares the checkout, then runs the tests whose path contains one of the parts.
// --fast runs the tests that need no server and no recording, in under a minute on a built checkout. --long runs the
// large ones, `.long.spec.ts`, instead, each with an hour. --containers runs the `.int` and `.e2e` tests against
// servers in containers, and exits at once if no container engine answers.
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { provision, testTools, workspaceFolders } from './provision.mjs';
import { StepError, foreground, home, main, node24, projectEnvironment, repository } from './steps.mjs';

const hourMs = 3_600_000;

/** Finds test files by their source, so that a compiled test of a deleted source does not run. */
const testFiles = (long) => {
  const files = [];
  for (const folder of workspaceFolders()) {
    for (const source of sourcesIn(join(folder, 'src'))) {
      if (!source.endsWith('.spec.ts') || source.endsWith('.long.spec.ts') !== long) continue;
      files.push(relative(repository, join(folder, 'dist', source.replace(/\.ts$/, '.js'))));
    }
  }
  // oxlint-disable-next-line unicorn/no-array-sort -- Node 18 has no toSorted.
  return files.sort((one, other) => (one < other ? -1 : 1));
};

const needsServers = (file) => /\.(int|e2e)\./.test(file);
/** Tests of the local programs themselves make no sense in containers. */
const runsInContainers = (file) => needsServers(file) && !file.startsWith(join('deploy', 'local'));
const isFast = (file) => !needsServers(file) && !file.includes('.recordings.');
const options = new Set(['--fast', '--long', '--containers']);

const sourcesIn = (folder, inside = '') => {
  if (!existsSync(folder)) return [];
  return readdirSync(join(folder, inside), { withFileTypes: true }).flatMap((entry) => {
    const path = join(inside, entry.name);
    return entry.isDirectory() ? sourcesIn(folder, path) : [path];
  });
};

await main(async () => {
  const given = process.argv.slice(2);
  const unknown = given.find((argument) => argument.startsWith('--') && !options.has(argument));
  if (unknown !== undefined) {
    throw new StepError(
      `Unknown option ${unknown}. npm test has the options ${[...options].join(', ')}.\n0 passed, 1 failed`,
    );
  }
  const [fast, long, containers] = [...options].map((option) => given.includes(option));
  await provision({ tools: fast ? [] : testTools });
  const env = { ...projectEnvironment(), ALMANAC_TEST_LOGS: join(home, 'test-logs') };
  if (long) env.ALMANAC_TEST_FILE_TIMEOUT_MS = String(hourMs);
  if (containers) {
    const code = await foreground(node24, [join(repository, 'libs', 'testing', 'dist', 'engine.js')], env);
    if (code !== 0) return code;
    env.ALMANAC_TEST_SERVERS = 'containers';
  }
  const patterns = given.filter((argument) => !options.has(argument));
  const files = testFiles(long)
    .filter((file) => !containers || runsInContainers(file))
    .filter((file) => !fast || isFast(file))
    .filter((file) => patterns.length === 0 || patterns.some((part) => file.includes(part)));
  if (files.length === 0) {
    throw new StepError(`No path of a test file contains ${patterns.join(' or ') || '.spec.ts'}.\n0 passed, 1 failed`);
  }
  return foreground(node24, [join(repository, 'scripts', 'run-tests.mjs'), ...files], env);
});
