// The container engine of the tests: the one that answers on this machine, or Docker from Debian's packages, which runs
// on a folder and socket of its own only while the tests do.
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { withLock } from '../lock.mjs';
import { isInPath } from '../preflight.mjs';
import { StepError, endWithUs, run, step } from '../steps.mjs';
import { clientFolder, engineBinaries, engineFolder, installEngine } from './install.mjs';

const startTimeoutMs = 60_000;
const stopTimeoutMs = 60_000;
const buildCacheSize = '4GB';
// On a disk with less than a fifth free, BuildKit would remove downloaded packages between two builds of a test. After the
// run we prune the cache ourselves.
const configuration = { builder: { gc: { enabled: false } } };

/**
 * Runs `work` with an engine. It gets the variables of the engine's clients, and whether the engine is its own, which
 * ends afterwards. Rejects with a StepError if there is no engine and none can be started.
 */
export const withEngine = async (work) => {
  if (await answers(process.env)) return work({ env: { ...process.env }, isOwn: false });
  const reason = await whyNoEngine();
  if (reason !== undefined) throw new StepError(reason);
  return withLock(join(engineFolder, 'running.lock'), async () => {
    await step('Engine', async (progress) => `Docker ${await installEngine(progress)}`);
    const engine = await startEngine();
    try {
      return await work({ env: engine.env, isOwn: true });
    } finally {
      // A failure here must not hide that of the work.
      await removeLeftovers(engine.env).catch((error) => console.warn(`The engine's leftovers stay: ${error.message}`));
      await engine.stop();
    }
  });
};

/**
 * Each run leaves the images of the run before without a name, and a stopped run leaves its containers and volumes.
 * Without this the folder grows by gigabytes a day. The build cache stays up to a size, since a build from nothing
 * takes minutes.
 */
const removeLeftovers = async (env) => {
  const docker = (...args) => run('docker', args, { what: `docker ${args[0]} ${args[1]}`, env, timeoutMs: 120_000 });
  await docker('system', 'prune', '--force');
  await docker('volume', 'prune', '--force', '--all');
  await docker('builder', 'prune', '--force', '--keep-storage', buildCacheSize);
};

const answers = async (env) =>
  run('docker', ['info'], { env, timeoutMs: 10_000 }).then(
    () => true,
    () => false,
  );

/** Why neither an engine answers nor one can be started, in one sentence. Undefined if there is one. */
const whyNoEngine = async () => {
  if (await answers(process.env)) return undefined;
  const missing = 'No container engine answers (DOCKER_HOST names another one)';
  if (process.getuid?.() !== 0) return `${missing}, and only root can start one of its own. npm test needs none.`;
  const tools = ['apt-get', 'apt-cache', 'dpkg', 'dpkg-query', 'dpkg-deb', 'unshare', 'tar'];
  const lacking = tools.filter((tool) => !isInPath(tool));
  if (lacking.length > 0) return `${missing}, and one of its own needs ${lacking.join(', ')}. npm test needs none.`;
  const isPermitted = await run('unshare', ['--mount', '--net', '--pid', '--fork', 'true']).then(
    () => true,
    () => false,
  );
  return isPermitted ? undefined : `${missing}, and this root may not create namespaces. npm test needs none.`;
};

/** Images and the build cache stay in the user's cache. The socket has a short path, as the system demands. */
const startEngine = async () => {
  mkdirSync(engineFolder, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'almanac-engine-'));
  const host = `unix://${join(folder, 'docker.sock')}`;
  const env = {
    ...process.env,
    PATH: [engineBinaries, process.env.PATH].join(delimiter),
    DOCKER_HOST: host,
    DOCKER_CONFIG: clientFolder,
  };
  const logFile = join(engineFolder, 'dockerd.log');
  const configurationFile = join(folder, 'daemon.json');
  writeFileSync(configurationFile, JSON.stringify(configuration));
  const args = ['--data-root', join(engineFolder, 'data'), '--exec-root', join(folder, 'exec'), '--host', host];
  args.push('--config-file', configurationFile, '--pidfile', join(folder, 'pid'));
  const log = openSync(logFile, 'w');
  const child = spawn('dockerd', args, {
    env,
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  endWithUs(child, `-s TERM -- ${child.pid}`);
  const exited = new Promise((done) => child.once('exit', done));
  const stop = async () => {
    child.kill('SIGTERM');
    if ((await Promise.race([exited, pause(stopTimeoutMs, 'late', { ref: false })])) === 'late') child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  };
  for (const deadline = Date.now() + startTimeoutMs; !(await answers(env)); await pause(200)) {
    if (child.exitCode === null && Date.now() < deadline) continue;
    await stop();
    throw new StepError(`Docker does not start here: ${lastErrorIn(logFile)} Its log: ${logFile}`);
  }
  return { env, stop };
};

const lastErrorIn = (logFile) => {
  const lines = readFileSync(logFile, 'utf8').trim().split('\n');
  const line = lines.findLast((text) => /level=(error|fatal)|failed/.test(text)) ?? lines.at(-1) ?? '';
  return `${line.slice(0, 300)}.`;
};
