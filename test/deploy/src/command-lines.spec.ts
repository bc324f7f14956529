import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { repository } from './repository.js';
import { startTestCheckout, type TestCheckout } from './testing-checkout.js';

describe('a command line', () => {
  let test: TestCheckout;
  before(async () => {
    test = await startTestCheckout();
  });
  after(() => test.stop());

  /** Runs a script that must end before it fetches or writes anything. */
  const run = async (script: string, ...args: string[]) => {
    const result = await test.run(script, args, { PORT: '0' });
    assert.deepEqual(await test.calls(), ['']);
    assert.ok(!existsSync(join(test.checkout, '.almanac')), result.output);
    return result;
  };
  const commands = { 'start.mjs': 'npm start', 'test.mjs': 'npm test', 'bench.mjs': 'npm run bench' };

  for (const [script, command] of Object.entries(commands)) {
    it(`of ${command} with --help prints the usage and does nothing`, async () => {
      for (const option of ['--help', '-h']) {
        const { code, output } = await run(script, option);
        assert.equal(code, 0);
        assert.ok(output.startsWith(`Usage: ${command}`), output);
      }
    });

    it(`of ${command} with an unknown option does nothing`, async () => {
      const refusal = `Unknown option --colour. To list the options, run: ${command} -- --help\n`;
      const { code, output } = await run(script, '--colour=red');
      assert.deepEqual([code, output.startsWith(refusal)], [1, true], output);
    });
  }

  it('of npm test names the suite of Debian whose nats-server runs', async () => {
    for (const suite of ['2.15', '../sid', '']) {
      const { code, output } = await run('test.mjs', `--nats=${suite}`);
      const refusal = `--nats must be the name of a suite of Debian, such as sid, not ${suite}.\n`;
      assert.deepEqual([code, output.startsWith(refusal)], [1, true], output);
    }
  });

  it('of npm test is refused while another run writes to the same folder of logs', async (context) => {
    const own = await startTestCheckout();
    context.after(() => own.stop());
    const spec = join(own.checkout, 'libs', 'redis', 'src', 'some.spec.ts');
    const home = join(own.folder, 'home');
    await mkdir(home);
    await mkdir(dirname(spec), { recursive: true });
    await writeFile(spec, '');
    const [, start = ''] = /\) (?:\S+ ){19}(\d+) /.exec(await readFile('/proc/self/stat', 'utf8')) ?? [];
    const runBeside = async (holder: string) => {
      await writeFile(join(home, 'tests.lock'), holder);
      return own.run('test.mjs', ['--fast', 'libs/redis'], { ALMANAC_HOME: home });
    };
    const refused = await runBeside(`${process.pid} ${start}`);
    const refusal = `Process ${process.pid} runs tests in this checkout, and its logs are in the same folder. `;
    assert.deepEqual([refused.code, refused.output.startsWith(refusal)], [1, true], refused.output);
    assert.deepEqual(await readdir(home), ['tests.lock']);
    // A run that was killed leaves its lock.
    const { output } = await runBeside(`${process.pid} 1`);
    assert.doesNotMatch(output, /runs tests in this checkout/);
  });

  it('gets the nearest known name', async () => {
    const nearest = join('libs', 'runtime', 'dist', 'nearest-name.js');
    await cp(join(repository, nearest), join(test.checkout, nearest), { recursive: true });
    const typed = [
      ['start.mjs', '--hlep', '--help'],
      ['start.mjs', '--port', 'PORT'],
      ['test.mjs', '--fats', '--fast'],
      ['test.mjs', '-long', '--long'],
      ['bench.mjs', '--smok', '--smoke'],
      ['bench.mjs', '--cpu-profile=x', '--cpu-profiles'],
    ] as const;
    for (const [script, option, name] of typed) {
      const { code, output } = await run(script, option);
      assert.equal(code, 1);
      assert.ok(output.startsWith(`Unknown option ${option.split('=')[0]}. Did you mean ${name}? `), output);
    }
  });

  it('is refused for an argument that it does not take, and for an option without its value', async () => {
    const started = await run('start.mjs', 'gateway');
    assert.deepEqual([started.code, started.output.split('. ')[0]], [1, 'npm start takes no argument such as gateway']);
    const measured = await run('bench.mjs', 'search', '--cpu-profiles');
    assert.deepEqual([measured.code, measured.output.split('. ')[0]], [1, '--cpu-profiles needs a value']);
    const tested = await run('test.mjs', 'libs/bus', '--fsat');
    assert.deepEqual([tested.code, tested.output.trimEnd().split('\n').at(-1)], [1, '0 passed, 1 failed']);
  });
});
