import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { OperatorFixture } from '../../testing/operator-fixture.js';

const run = promisify(execFile);
const object = z.record(z.string(), z.unknown());

/** Tests of what the commands print, and of their completion, on a fixture without accounts and dead letters. */
export const outputSuite = (of: () => OperatorFixture): void => {
  describe('the output of the operator commands', () => {
    let fixture: OperatorFixture;
    before(async () => {
      fixture = of();
    });

    /** The parsed lines of a command with --json, which must succeed. */
    const json = async (...args: string[]) => {
      const out = await fixture.ok(...args, '--json');
      return out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => object.parse(JSON.parse(line)));
    };

    it('lists all accounts with their persons, or those on one plan', async () => {
      const ids: unknown[] = [];
      for (const [index, plan] of ['free', 'pro', 'free'].entries()) {
        const [created] = await json('account', 'create', '--plan', plan, '--email', `${plan}${index}@example.com`);
        ids.push(created?.['account']);
      }
      const all = await json('account', 'list');
      assert.deepEqual(
        all.map(({ account }) => account),
        ids,
      );
      assert.deepEqual(all[1], {
        account: ids[1],
        email: 'pro1@example.com',
        name: null,
        plan: 'pro',
        credits: { granted: 1, left: 1 },
        exports: { today: 0, pending: 0 },
      });
      await json('plan', 'set', '--account', String(ids[0]), '--plan', 'pro');
      const pro = await json('account', 'list', '--plan', 'pro');
      assert.deepEqual(new Set(pro.map(({ account }) => account)), new Set(ids.slice(0, 2)));
      const text = (await fixture.ok('account', 'list', '--plan', 'free')).split('\n');
      assert.match(text[0] ?? '', /^ACCOUNT +PLAN +CREDITS +EXPORTS TODAY +E-MAIL$/);
      assert.match(text[1] ?? '', new RegExp(`^${String(ids[2])} +free +1 of 1 +0 +free2@example\\.com$`));
      assert.equal(text[2], '1 account');
    });

    it('lists the plans with the terms of the deployment', async () => {
      const plans = await json('plan', 'list');
      assert.deepEqual(
        plans.map(({ id }) => id),
        ['free', 'pro', 'full_book', 'internal'],
      );
      assert.deepEqual(plans[1], {
        id: 'pro',
        name: 'Pro',
        price: 4900,
        api_keys: 10,
        requests_per_minute: 1200,
        exports_per_day: 200,
        exports_pending: 5,
        export_included: true,
        l2_export: false,
        full_book: false,
      });
      const text = await fixture.ok('plan', 'list');
      assert.match(text, /^pro +Pro +49\.00 USD +10 +1,200 +200 +5 +exports$/m);
      assert.match(
        text,
        /^internal +Internal +0\.00 USD +no limit +no limit +no limit +no limit +exports, L2 exports/m,
      );
    });

    it('is JSON for every command with --json, also for errors', async () => {
      const [opened = {}] = await json('account', 'create', '--email', 'json@example.com');
      const account = String(opened['account']);
      assert.match(String(opened['key']), /^ak_live_/);
      const [shown = {}] = await json('account', 'show', account);
      assert.deepEqual([shown['email'], shown['keys']], ['json@example.com', { active: 1, revoked: 0 }]);
      assert.deepEqual([shown['cart'], shown['checkout'], shown['subscription']], [[], null, null]);
      const [second = {}] = await json('key', 'create', '--account', account, '--name', 'two');
      const keys = await json('key', 'list', account);
      assert.deepEqual(
        keys.map(({ name }) => name),
        ['two', 'default'],
      );
      assert.ok(String(second['key']).includes(String(keys[0]?.['id'])));
      assert.deepEqual(await json('key', 'revoke', String(keys[0]?.['id'])), [
        { id: keys[0]?.['id'], name: 'two', status: 'revoked' },
      ]);
      const history = await json('events', account);
      assert.deepEqual(
        history.map(({ type }) => type),
        ['AccountOpened', 'KeyCreated', 'KeyCreated', 'KeyRevoked'],
      );
      assert.ok(history.every(({ ts, text }) => Number(ts) > 1.7e9 && typeof text === 'string'));
      assert.deepEqual(await json('dead-letters'), []);
      assert.deepEqual(await json('account', 'erase', account, '--yes'), [
        { account, erased: true, customer_deleted: false },
      ]);
      const refused = await fixture.refused('account', 'show', 'nobody', '--json');
      const detail = 'This account does not exist. Check the account id.';
      assert.deepEqual(JSON.parse(refused), { error: detail, code: 'account_not_found' });
      assert.match(await fixture.refused('acount', 'list', '--json'), /^\{"error":"This command does not exist\. Did/);
    });

    it('is the version of the release with --version', async () => {
      const { version } = object.parse(
        JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8')),
      );
      assert.equal(await fixture.ok('--version'), `${String(version)}\n`);
      assert.deepEqual(await json('--version'), [{ version }]);
    });
  });

  describe('the completion of the operator commands', () => {
    let fixture: OperatorFixture;
    let folder = '';
    before(async () => {
      fixture = of();
      folder = await mkdtemp(join(tmpdir(), 'almanac-completion-'));
    });
    after(async () => {
      await rm(folder, { recursive: true, force: true });
    });

    const scriptOf = async (shell: string): Promise<string> => {
      const path = join(folder, `completion.${shell}`);
      await writeFile(path, await fixture.ok('completion', shell));
      return path;
    };

    /** What bash offers for a line whose last word is being typed. */
    const offered = async (script: string, ...line: string[]): Promise<string[]> => {
      const words = line.map((word) => `'${word}'`).join(' ');
      const code = `source '${script}'; COMP_WORDS=(almanac ${words}); COMP_CWORD=${line.length}; _almanac; echo "\${COMPREPLY[@]}"`;
      const { stdout } = await run('bash', ['--norc', '-c', code]);
      return stdout.trim().split(' ');
    };

    it('offers commands, their second words, options and values in bash', async () => {
      const script = await scriptOf('bash');
      assert.deepEqual(await offered(script, 'a'), ['account']);
      assert.deepEqual(await offered(script, '--v'), ['--version']);
      assert.deepEqual(await offered(script, 'account', ''), ['create', 'list', 'show', 'erase']);
      assert.deepEqual(await offered(script, 'account', 'create', '--'), [
        '--email',
        '--name',
        '--plan',
        '--json',
        '--help',
        '--version',
      ]);
      assert.deepEqual(await offered(script, 'account', 'create', '--json', '--pl'), ['--plan']);
      assert.deepEqual(await offered(script, 'plan', 'set', '--plan', 'f'), ['free', 'full_book']);
      assert.deepEqual(await offered(script, 'dead-letters', 're'), ['retry']);
      assert.deepEqual(await offered(script, 'completion', ''), [
        'bash',
        'zsh',
        'fish',
        '--json',
        '--help',
        '--version',
      ]);
    });

    it('defines the command almanac, which works from any folder', async () => {
      const script = await scriptOf('bash');
      const { stdout } = await run('bash', ['--norc', '-c', `source '${script}'; almanac --version`], { cwd: folder });
      assert.equal(stdout, await fixture.ok('--version'));
    });

    it('has every command and option in the scripts of the other shells', async () => {
      const bash = await readFile(await scriptOf('bash'), 'utf8');
      for (const shell of ['zsh', 'fish']) {
        const script = await readFile(await scriptOf(shell), 'utf8');
        for (const [, words = ''] of bash.matchAll(/words='([^']+)'/g)) {
          assert.ok(script.includes(words), `${shell}: ${words}`);
        }
      }
    });
  });
};
