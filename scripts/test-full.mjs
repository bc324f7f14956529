// npm run test:full: everything that is tested, for a release and at the end of work on a subject. It takes hours, so each
// part can run by itself. A line in docs/test-runs.md says what ran, on which commit and machine, and how it ended.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { nearNames } from './near-names.mjs';
import { pythonOfVersion, supportedPythons } from './python-versions.mjs';
import { StepError, endWithUs, home, main, repository, run } from './steps.mjs';

const npmTest = (...args) => ['run', '--silent', 'test', '--', ...args];
/** What depends on a server or a store that others can replace. */
const onNats = ['libs/bus', 'libs/event-store', 'services/keys', 'test/deploy/dist/nats'];
const onRedis = [
  'libs/redis',
  'services/gateway/dist/limits',
  'services/gateway/dist/auth',
  'services/timeseries/dist/preview',
];
const onShards = [
  'services/timeseries/dist/rows',
  'services/timeseries/dist/snapshots',
  'services/timeseries/dist/trades',
  'services/export/dist/files',
];

/** Those that this machine has. The others are named. */
const pythonRuns = () => {
  const [found, missing] = [true, false].map((has) =>
    supportedPythons.filter((version) => (pythonOfVersion(version) !== undefined) === has),
  );
  if (missing.length > 0) console.log(`This machine does not have Python ${missing.join(', ')}.`);
  return found.map((version) => ({
    args: npmTest('--full', '--python', version, 'test/clients/dist/python', 'test/clients/dist/clients.e2e'),
  }));
};

const parts = {
  tests: { what: 'npm test, and the full tests and recordings', args: npmTest('--full') },
  containers: { what: 'images, compose, network policies', args: ['run', '--silent', 'test:containers'] },
  nats: { what: 'the newest nats-server', args: npmTest('--full', '--nats', 'sid', ...onNats) },
  valkey: { what: 'Valkey instead of Redis', args: npmTest('--full', '--valkey', ...onRedis) },
  shards: {
    what: 'a stand-in of two ClickHouse shards',
    args: npmTest(...onShards),
    env: { ALMANAC_TEST_CLICKHOUSE: 'shards' },
  },
  python: { what: 'the Python client on every supported version that this machine has', runs: pythonRuns },
  bench: { what: 'every row and profile of the benchmark once', args: ['run', '--silent', 'bench', '--', '--smoke'] },
  chaos: {
    what: '100 kills and 30 freezes, on one nats-server and on three',
    args: ['run', '--silent', 'test:long', '--', 'every-fault', 'cluster-faults', '--kills', '100', '--freezes', '30'],
  },
  servers: {
    what: 'reads over 100 kills of one of three nats-servers, and 60 other losses',
    args: ['run', '--silent', 'test:long', '--', 'lost-servers', '--kills', '100', '--stops', '15', '--freezes', '10'],
  },
};

const usage = `Usage: npm run test:full -- [PART …]

Runs everything that is tested, which takes hours, or only these parts. Adds a line to docs/test-runs.md.

${Object.entries(parts)
  .map(([name, { what }]) => `  ${name.padEnd(12)}${what}`)
  .join('\n')}

The tests of full disks need root. The part containers needs a container engine, or root to start one.`;

const page = join(repository, 'docs', 'test-runs.md');
const countsIn = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/;

/** Runs a command, shows its output, and returns its counts. Without counts it is one test, which passes with code 0. */
const runCommand = async (name, { args, env = {} }) => {
  const child = spawn('npm', args, {
    cwd: repository,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithUs(child, `-s TERM -- ${child.pid}`);
  let last = '';
  const unsteady = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    console.log(line);
    if (line !== '') last = line;
    const [, file] = /^UNSTEADY (\S+):/.exec(line) ?? [];
    if (file !== undefined) unsteady.push(file);
  });
  const code = await new Promise((done, failed) => child.once('error', failed).once('close', done));
  preserveLogs(name);
  const [, passed, failed, skipped = 0] = countsIn.exec(last) ?? [undefined, code === 0 ? 1 : 0, 0];
  return {
    passed: Number(passed),
    failed: Math.max(Number(failed), code === 0 ? 0 : 1),
    skipped: Number(skipped),
    unsteady,
  };
};

/** The next part writes to the same folder. */
const preserveLogs = (name) => {
  const [logs, stored] = [join(home, 'test-logs'), join(home, 'full', name)];
  if (!existsSync(logs)) return;
  rmSync(stored, { recursive: true, force: true });
  mkdirSync(join(home, 'full'), { recursive: true });
  renameSync(logs, stored);
};

const commitOf = async () => {
  const commit = await run('git', ['rev-parse', '--short=8', 'HEAD'], { what: 'Reading the commit' });
  const changes = await run('git', ['status', '--porcelain'], { what: 'git status' });
  return `${commit.trim()}${changes.trim() === '' ? '' : ' with changes'}`;
};

const machine = () => {
  const [{ model } = { model: 'unknown processor' }] = cpus();
  return `${availableParallelism()} cores (${model.split(' Processor')[0]}), ${Math.round(totalmem() / 1e9)} GB`;
};

const chosen = () => {
  const named = process.argv.slice(2);
  const unknown = named.find((name) => parts[name] === undefined);
  if (unknown !== undefined) {
    const near = nearNames(unknown, Object.keys(parts));
    const hint = near.length === 0 ? '' : ` Near names: ${near.join(', ')}.`;
    throw new StepError(`There is no part ${unknown}.${hint} To list the parts, run: npm run test:full -- --help`);
  }
  return named.length === 0 ? Object.keys(parts) : named;
};

const line = ({ commit, names, minutes, sum }) => {
  const cells = [
    new Date().toISOString().slice(0, 10),
    commit,
    machine(),
    names.length === Object.keys(parts).length ? 'all' : names.join(', '),
    minutes.toFixed(0),
    sum.passed,
    sum.failed,
    sum.skipped,
    sum.unsteady.join(', '),
  ];
  return `| ${cells.join(' | ')} |\n`;
};

await main(async () => {
  if (process.argv.some((argument) => ['--help', '-h'].includes(argument))) {
    console.log(usage);
    return 0;
  }
  const names = chosen();
  const commit = await commitOf();
  const startedMs = performance.now();
  const sum = { passed: 0, failed: 0, skipped: 0, unsteady: [] };
  const results = [];
  for (const name of names) {
    const { what, runs, ...command } = parts[name];
    console.log(`\n== ${name}: ${what}`);
    for (const one of runs?.() ?? [command]) {
      const { passed, failed, skipped, unsteady } = await runCommand(name, one);
      const counts = `${passed} passed, ${failed} failed, ${skipped} skipped`;
      results.push(`${failed === 0 ? 'ok  ' : 'FAIL'} npm ${one.args.join(' ')}: ${counts}`);
      sum.passed += passed;
      sum.failed += failed;
      sum.skipped += skipped;
      sum.unsteady.push(...unsteady);
    }
  }
  const minutes = (performance.now() - startedMs) / 60_000;
  appendFileSync(page, line({ commit, names, minutes, sum }));
  console.log(`\n== ${commit} on ${machine()}, ${minutes.toFixed(0)} minutes`);
  console.log(results.join('\n'));
  console.log(`\n${sum.passed} passed, ${sum.failed} failed${sum.skipped === 0 ? '' : `, ${sum.skipped} skipped`}`);
  return sum.failed === 0 && sum.passed > 0 ? 0 : 1;
});
