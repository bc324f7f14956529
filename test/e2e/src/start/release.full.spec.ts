// Builds everything, packs a release and installs it from npm and PyPI, for some minutes.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { findBinary } from '@almanac/local-servers';
import { storeGeneratedArchive } from '@almanac/operator';
import { npmWith, pythonWith } from '@almanac/testing';
import { z } from 'zod';
import { type SystemHarness, startHarness } from '../harness.js';
import { codeUnder } from './documented-commands.js';
import { repository } from './npm-start.js';

const run = promisify(execFile);
const listed = z.object({ markets: z.array(z.object({ ticker: z.string() })) });
const timeout = 1_200_000;

describe('the files of a release', { timeout }, () => {
  let running: SystemHarness;
  let home = '';
  let release = '';
  let clean = '';
  let environment: NodeJS.ProcessEnv = {};
  const file = async (pattern: RegExp): Promise<string> => {
    const found = (await readdir(release)).filter((name) => pattern.test(name));
    assert.equal(found.length, 1, String(pattern));
    return join(release, found[0] ?? '');
  };
  /** Rejects with what the program wrote. */
  const output = async (command: string, args: readonly string[], cwd = clean): Promise<string> => {
    const { stdout } = await run(command, args, { cwd, env: environment, timeout: 120_000 });
    return stdout;
  };

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'almanac-release-'));
    clean = join(home, 'clean');
    await mkdir(clean);
    const env = { ...process.env, ALMANAC_HOME: home };
    await run(process.execPath, ['scripts/release.mjs', '--pack'], { cwd: repository, env, timeout });
    const [version = ''] = await readdir(join(home, 'release'));
    release = join(home, 'release', version);
    running = await startHarness();
    await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
    const [address] = running.system.baseUrls;
    environment = {
      ...process.env,
      HOME: clean,
      ALMANAC_BASE_URL: address,
      ALMANAC_API_KEY: await running.key('full_book'),
    };
  });
  after(async () => {
    await running.stop();
    await rm(home, { recursive: true });
  });

  it('have the checksums that SHA256SUMS states, a bill of each image, and the notes of the version', async () => {
    assert.doesNotMatch(await output('sha256sum', ['--check', 'SHA256SUMS'], release), /FAILED/);
    const services = [...(await readdir(join(repository, 'services'))), 'operator'];
    for (const name of services) await file(new RegExp(`^${name}\\.cdx\\.json$`));
    assert.match(await readFile(join(release, 'NOTES.md'), 'utf8'), /^# Almanac \d+\.\d+\.\d+\n/);
  });

  it('have the chart, which gives the same as its folder', async () => {
    const helm = await findBinary('helm');
    const values = join(repository, 'k8s/chart/values-standard.yaml');
    const servers = join(repository, 'test/deploy/values/servers.yaml');
    const rendered = (chart: string): Promise<string> =>
      output(helm, ['template', 'almanac', chart, '--values', values, '--values', servers]);
    const packed = await rendered(await file(/^almanac-\d+\.\d+\.\d+\.tgz$/));
    assert.ok(packed.includes('kind: Deployment'));
    assert.equal(packed, await rendered(join(repository, 'k8s/chart')));
  });

  it('have packages of npm that depend on nothing of the checkout, and run as their pages say', async () => {
    const clients = await Promise.all([file(/^almanac-client-/), file(/^almanac-cli-/), file(/^almanac-mcp-/)]);
    const programs = await npmWith(clean, clients);
    for (const name of ['client', 'cli', 'mcp']) {
      const text = await readFile(join(clean, 'node_modules/@almanac', name, 'package.json'), 'utf8');
      assert.doesNotMatch(text, /workspace:|"private"/);
    }
    const [code = ''] = await codeUnder(join(repository, 'clients/typescript/README.md'), null, 'ts');
    const market = (
      await output(join(programs, 'almanac-data'), ['markets', '--series', 'GENBTC15M', '--json', '--limit', '1'])
    ).trim();
    const { ticker } = listed.parse(JSON.parse(market)).markets[0] ?? assert.fail('no market');
    const here = code
      .replace("{ baseUrl: 'http://127.0.0.1:8080', apiKey: '<API_KEY>' }", '')
      .replaceAll('<TICKER>', ticker);
    await writeFile(join(clean, 'first.mjs'), here);
    assert.ok((await output(process.execPath, ['first.mjs'])).includes(ticker));
    const { stderr: usage } = await run(join(programs, 'almanac-mcp'), ['--help'], { cwd: clean });
    assert.match(usage, /almanac-mcp/);
  });

  it('have a wheel, which runs as its page says', async () => {
    const python = await pythonWith(clean, [await file(/^almanac_client-.*\.whl$/), 'pandas']);
    const [code = ''] = await codeUnder(join(repository, 'clients/python/README.md'), null, 'python');
    assert.match(await output(python, ['-c', code]), /GENBTC15M.*\[\d+ rows x \d+ columns\]/s);
  });
});
