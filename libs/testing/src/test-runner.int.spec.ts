import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { eventually } from './eventually.js';

const runner = fileURLToPath(new URL('../../../scripts/run-tests.mjs', import.meta.url));
const start = "import { it, describe, before } from 'node:test';";

describe('the test runner', () => {
  let dir = '';
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'almanac-runner-'));
  });
  after(async () => rm(dir, { recursive: true, force: true }));

  const logs = (): string => join(dir, 'logs');

  /** Runs one test file with this text. Returns the last line and the exit code. */
  const runFile = async (
    text: string,
    timeoutMs = 120_000,
    endTimeoutMs = 30_000,
  ): Promise<{ last: string; code: number | null; output: string }> => {
    await writeFile(join(dir, 'a.spec.mjs'), start + text);
    const env = {
      ...process.env,
      ALMANAC_TEST_FILE_TIMEOUT_MS: String(timeoutMs),
      ALMANAC_TEST_END_TIMEOUT_MS: String(endTimeoutMs),
      ALMANAC_TEST_LOGS: logs(),
    };
    const { stdout, status } = spawnSync(process.execPath, [runner, 'a.spec.mjs'], { cwd: dir, env, encoding: 'utf8' });
    return { last: stdout.trimEnd().split('\n').at(-1) ?? '', code: status, output: stdout };
  };

  it('counts tests, not suites, and names skipped ones only when there are any', async () => {
    const text = "describe('a', () => { it('b', () => {}); it('c', () => {}); });";
    assert.deepEqual(pick(await runFile(text)), ['2 passed, 0 failed', 0]);
    assert.deepEqual(pick(await runFile(`${text} it.skip('d');`)), ['2 passed, 0 failed, 1 skipped', 0]);
  });

  it('prints why tests were skipped, how often, and where the logs are', async () => {
    const skipped = ['d', 'e'].map((name) => `it('${name}', { skip: 'no engine' }, () => {});`).join('');
    const suite = "describe('f', { skip: 'no disk' }, () => { it('g', () => {}); });";
    const { last, output } = await runFile(`it('a', () => { console.log('printed'); }); ${skipped} ${suite}`);
    assert.equal(last, '1 passed, 0 failed, 3 skipped');
    assert.match(
      output,
      /\n1 files in [\d.]+ s, processor \d+ s and \d+ s in programs\. Logs: logs\nSKIPPED 2: no engine\nSKIPPED 1: no disk\n/,
    );
    assert.match(await readFile(join(logs(), 'a.spec.mjs.log'), 'utf8'), /printed/);
    const results = z.object({ passed: z.int(), skipped: z.array(z.object({ file: z.string(), reason: z.string() })) });
    const read = results.parse(JSON.parse(await readFile(join(logs(), 'results.json'), 'utf8')));
    assert.deepEqual(
      [read.passed, read.skipped.map(({ reason }) => reason)],
      [1, ['no engine', 'no engine', 'no disk']],
    );
  });

  it('prints the remarks of tests that pass', async () => {
    const { output } = await runFile("it('a', (test) => test.diagnostic('Remark: 3 reads were sent again'));");
    assert.match(output, /^ok {3}a\.spec\.mjs: 1 passed, 0 failed \([\d.]+ s\)\n {2}3 reads were sent again\n/);
  });

  it('lists the files that took longest after a run of many files, the slowest first', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `many-${10 + n}.spec.mjs`);
    for (const name of names) await writeFile(join(dir, name), `${start} it('a', () => {});`);
    const env = { ...process.env, ALMANAC_TEST_LOGS: logs() };
    const { stdout } = spawnSync(process.execPath, [runner, ...names], { cwd: dir, env, encoding: 'utf8' });
    const seconds = / +([\d.]+) s +[\d.]+ s +[\d.]+ s {2}(many-\d+\.spec\.mjs)\n/g;
    const [, list = ''] = /\nSlowest files: [^\n]*\n((?: .*\n){10})\n12 files in /.exec(stdout) ?? [];
    const listed = Array.from(list.matchAll(seconds), ([, taken, file]) => `${file} ${taken}`);
    const all = Array.from(
      stdout.matchAll(/^ok {3}(\S+): .*\(([\d.]+) s\)$/gm),
      ([, file, taken]) => `${file} ${taken}`,
    );
    assert.ok(all.length === 12 && listed.length === 10 && listed.every((line) => all.includes(line)), stdout);
    const secondsOf = (line: string): number => Number(line.split(' ')[1]);
    const sorted = all.map(secondsOf).toSorted((one, other) => other - one);
    assert.deepEqual(listed.map(secondsOf), sorted.slice(0, 10));
    const results = z.object({ files: z.array(z.object({ file: z.string(), seconds: z.number() })) });
    const { files } = results.parse(JSON.parse(await readFile(join(logs(), 'results.json'), 'utf8')));
    assert.deepEqual(
      files.slice(0, 10).map(({ file, seconds: taken }) => `${file} ${taken.toFixed(1)}`),
      listed,
    );
    assert.doesNotMatch((await runFile("it('a', () => {});")).output, /Slowest/);
  });

  it('says how much processor time a file and the programs that it started took', async () => {
    const busy = 'for (const end = Date.now() + 300; Date.now() < end; );';
    const text = `import { execFileSync } from 'node:child_process';
      it('a', () => { ${busy} execFileSync(process.execPath, ['-e', ${JSON.stringify(`${busy} ${busy}`)}]); });`;
    await runFile(text);
    const results = z.object({ files: z.array(z.object({ own: z.number(), started: z.number() })) });
    const { files } = results.parse(JSON.parse(await readFile(join(logs(), 'results.json'), 'utf8')));
    const [{ own, started } = { own: 0, started: 0 }] = files;
    assert.ok(own > 0 && started > own / 10, JSON.stringify(files));
  });

  const oneCore = availableParallelism() < 2 ? 'this machine has one core' : false;
  it('runs files at the same time, and full, long and container tests alone', { skip: oneCore }, async () => {
    const fs = "import { existsSync, rmSync, writeFileSync } from 'node:fs';";
    const marker = (name: string): string => JSON.stringify(join(dir, name));
    const meets = (own: string, other: string): string =>
      `it('a', async () => { writeFileSync(${marker(own)}, '');
        while (!existsSync(${marker(other)})) await new Promise((go) => setTimeout(go, 20)); });`;
    const isAlone = `it('a', async () => { writeFileSync(${marker('alone')}, '', { flag: 'wx' });
        await new Promise((go) => setTimeout(go, 500)); rmSync(${marker('alone')}); });`;
    const files = {
      'test/console/dist/one.e2e.spec.mjs': meets('one', 'other'),
      'test/e2e/dist/quotes.e2e.spec.mjs': meets('other', 'one'),
      'services/catalog/dist/search.int.spec.mjs': meets('search', 'bus'),
      'libs/bus/dist/bus.int.spec.mjs': meets('bus', 'search'),
      'test/e2e/dist/killed-services.full.spec.mjs': isAlone,
      'test/e2e/dist/chaos/money.long.spec.mjs': isAlone,
      'test/e2e/dist/images.containers.spec.mjs': isAlone,
    };
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(dir, name)), { recursive: true });
      await writeFile(join(dir, name), start + fs + text);
    }
    const env = { ...process.env, ALMANAC_TEST_LOGS: logs(), ALMANAC_TEST_FILE_TIMEOUT_MS: '60000' };
    const options = { cwd: dir, env, encoding: 'utf8' } as const;
    const { stdout } = spawnSync(process.execPath, [runner, ...Object.keys(files)], options);
    assert.match(stdout, /\n7 passed, 0 failed\n$/);
    // A file that fails beside another one passes when it is repeated.
    assert.doesNotMatch(stdout, /FAIL/);
  });

  it('leaves no process when it is interrupted, not even one in a session of its own', async () => {
    const text = `${start} import { spawn } from 'node:child_process'; import { renameSync, writeFileSync } from 'node:fs';
      it('a', async () => { const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
        writeFileSync('ids.draft', [process.pid, child.pid].join(' ')); renameSync('ids.draft', 'ids');
        await new Promise((done) => child.once('exit', done)); });`;
    await writeFile(join(dir, 'waits.spec.mjs'), text);
    const env = { ...process.env, ALMANAC_TEST_LOGS: logs() };
    const run = spawn(process.execPath, [runner, 'waits.spec.mjs'], {
      cwd: dir,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output = buffer(run.stdout);
    const ids = await eventually(async () => (await readFile(join(dir, 'ids'), 'utf8')).split(' ').map(Number), {
      timeoutMs: 60_000,
    });
    run.kill('SIGINT');
    assert.match((await output).toString(), /Stopped by SIGINT\.\n0 passed, 1 failed\n$/);
    await eventually(() => {
      for (const id of ids) assert.throws(() => process.kill(id, 0), { code: 'ESRCH' });
    });
  });

  it('shows its progress on a terminal, and prints no control characters elsewhere', async () => {
    const { output } = await runFile("it('a', () => {});");
    assert.ok(!output.includes('\u001B'));
    const env = { ...process.env, ALMANAC_TEST_LOGS: logs() };
    const command = `${process.execPath} ${runner} a.spec.mjs`;
    const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], { cwd: dir, env, encoding: 'utf8' });
    assert.ok(stdout.includes('\u001B[2K0/1 files, 0:00, running a'), stdout);
    assert.match(stdout, /1 passed, 0 failed\r?\n$/);
  });

  it('shows why a test failed', async () => {
    const result = await runFile("it('a', () => {}); it('b', () => { throw new Error('two is not three'); });");
    assert.deepEqual(pick(result), ['1 passed, 1 failed', 1]);
    assert.match(result.output, /FAIL b\n +Error: two is not three/);
  });

  const broken: [string, string, string][] = [
    ['that holds no test', '', '0 passed, 1 failed'],
    ['that cannot be loaded', "throw new Error('at load');", '0 passed, 1 failed'],
    ['that ends by a code though its tests passed', "it('a', () => { process.exitCode = 3; });", '1 passed, 1 failed'],
    ['that ends itself with code 0 in the middle', "it('a', () => { process.exit(0); });", '0 passed, 1 failed'],
    ['that is killed', "it('a', () => { process.kill(process.pid, 'SIGKILL'); });", '0 passed, 1 failed'],
    [
      'whose hook fails',
      "describe('a', () => { before(() => { throw new Error('no'); }); it('b', () => {}); });",
      '0 passed, 2 failed',
    ],
  ];
  for (const [what, text, last] of broken) {
    it(`counts a file ${what} as failed`, async () => {
      assert.deepEqual(pick(await runFile(text)), [last, 1]);
    });
  }

  it('repeats a failed file once, and reports it as unsteady with the reason when it passes then', async () => {
    const marker = JSON.stringify(join(dir, 'marker'));
    const text = `import { existsSync, writeFileSync } from 'node:fs'; it('a', () => {}); it('b', () => {
      if (existsSync(${marker})) return; writeFileSync(${marker}, ''); throw new Error('the first time'); });`;
    const result = await runFile(text);
    assert.deepEqual(pick(result), ['2 passed, 0 failed', 0]);
    assert.match(result.output, /FAIL b\n +Error: the first time/);
    assert.match(result.output, /\nUNSTEADY a\.spec\.mjs: failed/);
  });

  it('fails when a file is unsteady in three consecutive runs, and not after a steady run', async () => {
    const marker = JSON.stringify(join(dir, 'toggle'));
    const unsteady = `import { existsSync, rmSync, writeFileSync } from 'node:fs'; it('a', () => {
      if (existsSync(${marker})) return rmSync(${marker}); writeFileSync(${marker}, ''); throw new Error('at first'); });`;
    assert.deepEqual(pick(await runFile(unsteady)), ['1 passed, 0 failed', 0]);
    assert.deepEqual(pick(await runFile("it('a', () => {});")), ['1 passed, 0 failed', 0]);
    assert.deepEqual(pick(await runFile(unsteady)), ['1 passed, 0 failed', 0]);
    assert.deepEqual(pick(await runFile(unsteady)), ['1 passed, 0 failed', 0]);
    const third = await runFile(unsteady);
    assert.deepEqual(pick(third), ['1 passed, 1 failed', 1]);
    assert.match(third.output, /\nFAIL a\.spec\.mjs: unsteady in 3 runs in a row or more\.\n/);
    await rm(join(dir, 'unsteady.json'));
  });

  it('repeats no file when more than two failed', async () => {
    const names = ['b', 'c', 'd'].map((name) => `${name}.spec.mjs`);
    for (const name of names) await writeFile(join(dir, name), `${start} it('a', () => { throw new Error('no'); });`);
    const env = { ...process.env, ALMANAC_TEST_LOGS: logs() };
    const { stdout, status } = spawnSync(process.execPath, [runner, ...names], { cwd: dir, env, encoding: 'utf8' });
    assert.equal(status, 1);
    assert.equal(stdout.match(/^FAIL /gm)?.length, 3);
    assert.match(stdout, /\n0 passed, 3 failed\n$/);
  });

  it('counts what one file did to no other file of its process', async () => {
    const texts = {
      fails: "it('a', () => { throw new Error('no'); });",
      passes: "it('a', () => {});",
    };
    const folder = join('libs', 'shared');
    await mkdir(join(dir, folder), { recursive: true });
    const names = Object.keys(texts).map((name) => join(folder, `${name}.spec.mjs`));
    for (const [name, text] of Object.entries(texts)) {
      await writeFile(join(dir, folder, `${name}.spec.mjs`), `${start} ${text}`);
    }
    const env = { ...process.env, ALMANAC_TEST_LOGS: logs() };
    const { stdout } = spawnSync(process.execPath, [runner, ...names], { cwd: dir, env, encoding: 'utf8' });
    const outcomes = Array.from(
      stdout.matchAll(/^(?:ok {3}|FAIL )libs\/shared\/(\w+)\.spec\.mjs: (.*) \(/gm),
      ([, name, counts]) => `${name}: ${counts}`,
    );
    // What failed is then repeated.
    assert.deepEqual(outcomes, [
      'fails: 0 passed, 1 failed',
      'passes: 1 passed, 0 failed',
      'fails: 0 passed, 1 failed',
    ]);
  });

  it('counts a file that hangs as failed, and says what keeps it running', async () => {
    const hanging = await runFile("it('a', () => {}); setInterval(() => {}, 1000);", undefined, 1_000);
    assert.deepEqual(pick(hanging), ['1 passed, 1 failed', 1]);
    assert.match(
      hanging.output,
      /It did not end within 4 s after its tests and was killed\. Open: timer in -?\d+ ms\./,
    );
    // Long enough for the file to start on a busy machine.
    const endless = await runFile("it('a', () => new Promise(() => setInterval(() => {}, 1000)));", 10_000);
    assert.deepEqual(pick(endless), ['0 passed, 1 failed', 1]);
    assert.match(endless.output, /It did not end within 10 s and was killed\./);
  });

  it('counts the tests of a file whose process hangs in the end of Node', async () => {
    const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)';
    const passed = await runFile(`it('a', () => {}); process.on('exit', () => ${wait});`, undefined, 1_000);
    assert.deepEqual(pick(passed), ['1 passed, 0 failed', 0]);
    assert.match(passed.output, /Node did not end within 1 s after its tests, and was killed\./);
    const failed = await runFile(
      `it('a', () => { throw new Error('no'); }); process.on('exit', () => ${wait});`,
      undefined,
      1_000,
    );
    assert.deepEqual(pick(failed), ['0 passed, 1 failed', 1]);
  });
});

const pick = ({ last, code }: { last: string; code: number | null }): unknown[] => [last, code];
