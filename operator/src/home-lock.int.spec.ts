import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { eventually } from '@almanac/testing';
import { LocalServerError } from '@almanac/local-servers';
import { claimHome } from './home-lock.js';

/** Takes a home, reports that, and runs the command on each input line. */
const program = `
  const { claimHome } = await import(process.argv[1]);
  const home = await claimHome(process.argv[2]);
  console.log('taken');
  process.stdin.on('data', async (line) => {
    if (String(line).startsWith('stopping')) await home.stopping();
    if (String(line).startsWith('release')) await home.release().then(() => process.exit());
    console.log('done');
  });
`;

describe('a home folder', () => {
  let home = '';
  const children: ChildProcess[] = [];
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'almanac-home-'));
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await rm(home, { recursive: true, force: true });
  });

  const holder = async () => {
    const module = new URL('home-lock.js', import.meta.url).href;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, module, home], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    children.push(child);
    const exited = once(child, 'exit');
    await once(child.stdout, 'data');
    const sendLine = async (line: string): Promise<void> => {
      child.stdin.write(`${line}\n`);
      await once(child.stdout, 'data');
    };
    return {
      pid: child.pid ?? 0,
      sendLine,
      release: () => child.stdin.write('release\n'),
      gone: exited,
      kill: () => child.kill('SIGKILL'),
    };
  };
  const claim = () => readFile(join(home, 'system.pid'), 'utf8');

  it('is refused while another process holds it, and the error names that process', async () => {
    const other = await holder();
    await assert.rejects(claimHome(home), (error) => {
      assert.ok(error instanceof LocalServerError);
      assert.equal(
        error.message,
        `Almanac already uses ${home} (process ${other.pid}). Stop that process, or set ALMANAC_HOME to another folder.`,
      );
      return true;
    });
    other.kill();
    await other.gone;
  });

  it('is free when its holder was killed', async () => {
    const other = await holder();
    other.kill();
    await other.gone;
    const taken = await claimHome(home);
    assert.ok((await claim()).startsWith(`${process.pid} running`));
    await taken.release();
    await assert.rejects(claim(), { code: 'ENOENT' });
  });

  it('is free when another process now has the process id of its holder', async () => {
    const other = await holder();
    const [pid = '', state = '', began = ''] = (await claim()).split(' ');
    assert.equal(Number(pid), other.pid);
    await writeFile(join(home, 'system.pid'), `${pid} ${state} ${Number(began) - 1}`);
    await (await claimHome(home)).release();
    other.kill();
    await other.gone;
  });

  it('is waited for while its holder shuts down', async () => {
    const other = await holder();
    await other.sendLine('stopping');
    let taken = false;
    const waiting = claimHome(home).then((mine) => {
      taken = true;
      return mine;
    });
    await eventually(async () => assert.match(await claim(), /stopping/));
    assert.equal(taken, false);
    other.release();
    await other.gone;
    await (await waiting).release();
  });

  it('is free when its lock file is damaged', async () => {
    for (const text of ['', 'x', '0 running 1', '-1 running 1', '99999999999 running 1']) {
      await writeFile(join(home, 'system.pid'), text);
      await (await claimHome(home)).release();
    }
  });
});
