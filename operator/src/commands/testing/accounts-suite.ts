import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import { commerceRpc } from '@almanac/contracts';
import { everyFile, keyIn, type OperatorFixture } from '../../testing/operator-fixture.js';

/** Tests of accounts, keys, plans and histories on the command line. */
export const accountsSuite = (of: () => OperatorFixture): void => {
  describe('the operator command line', () => {
    let fixture: OperatorFixture;
    before(async () => {
      fixture = of();
    });

    it('opens an account with a working key, and finds it by id and e-mail address', async () => {
      const out = await fixture.ok(
        'account',
        'create',
        '--email',
        'Grace@Example.com',
        '--name',
        'Grace H.',
        '--plan',
        'pro',
      );
      const { key, account } = keyIn(out);
      assert.ok(out.startsWith(`Account ${account} on the plan pro.`));
      assert.ok(await fixture.opens(key));
      const shown = await fixture.ok('account', 'show', account);
      assert.equal(await fixture.ok('account', 'show', 'grace@example.com'), shown);
      assert.equal(await fixture.ok('account', 'show', '--account', account), shown);
      assert.match(shown, /^E-mail {8}Grace@Example\.com\nName {10}Grace H\.\nPlan {10}pro$/m);
      assert.match(shown, /^Keys {10}1 active, 0 revoked\nCredits {7}1 of 1 left$/m);
      const again = await fixture.refused('account', 'create', '--email', 'GRACE@example.com');
      assert.equal(again, `An account already uses this email address: ${account}.`);
    });

    it('creates, lists and revokes keys, within the limit of the plan', async () => {
      const { account, id: first } = await fixture.create();
      const { key, id } = keyIn(await fixture.ok('key', 'create', '--account', account, '--name', 'note\u001B[2Jbook'));
      assert.ok(await fixture.opens(key));
      assert.equal(
        await fixture.refused('key', 'create', '--account', account),
        "Your plan's limit for active API keys is 2. Revoke a key or upgrade your plan.",
      );
      const listed = (await fixture.ok('key', 'list', '--account', account)).trimEnd().split('\n');
      assert.deepEqual(
        listed.map((line) => line.slice(0, 26)),
        [`${id}  active`, `${first}  active`],
      );
      assert.match(listed[0] ?? '', /created \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, use not known {2}note\uFFFD\[2Jbook$/);
      assert.match(await fixture.ok('key', 'revoke', id), new RegExp(`^The key ${id} \\(.*\\) is revoked\\.\n$`));
      await fixture.ok('key', 'revoke', `ak_live_${id}`);
      assert.equal(await fixture.opens(key), false);
      assert.match(
        await fixture.ok('key', 'list', account),
        new RegExp(`^${id} {2}revoked {2}created .*, revoked `, 'm'),
      );
      assert.equal(
        await fixture.refused('key', 'revoke', 'x'.repeat(18)),
        'This account has no key with this id. GET /api/v1/keys lists its keys.',
      );
    });

    it('creates a key that reads the archive as of a time, and lists it so', async () => {
      const { account } = await fixture.create();
      const { key } = keyIn(await fixture.ok('key', 'create', '--account', account, '--as-of', '1771993500'));
      assert.ok(await fixture.opens(key));
      assert.match(await fixture.ok('key', 'list', account), /reads as of 2026-02-25 04:25:00 UTC {2}default/);
    });

    it('moves an account to any plan', async () => {
      const { account } = await fixture.create();
      const set = (plan: string) => fixture.ok('plan', 'set', '--account', account, '--plan', plan);
      assert.equal(await set('internal'), `The account ${account} was on the plan free, now internal.\n`);
      assert.equal(await set('internal'), `The account ${account} is on the plan internal already.\n`);
      assert.equal(await set('free'), `The account ${account} was on the plan internal, now free.\n`);
    });

    it('prints the whole history of one account in plain words and in order', async () => {
      const { account, id: key } = await fixture.create();
      const { account: other } = await fixture.create();
      const event = 'KXBTC15M-26FEB242330';
      await fixture.recordEvent(event);
      await fixture.asUser(account, commerceRpc.addToCart, { event });
      await fixture.asUser(account, commerceRpc.checkout, {});
      const exported = randomUUID();
      await fixture.requestExport(account, exported, event);
      await fixture.requestExport(other, randomUUID(), event);
      await fixture.appendToExport(account, 'odd', 'ExportFramed');
      await fixture.asUser(account, commerceRpc.upgrade, { tier_id: 'pro' });
      await fixture.ok('key', 'revoke', key);

      const lines = (await fixture.ok('events', account)).trimEnd().split('\n');
      for (const line of lines) assert.match(line, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC {2}\S/);
      assert.deepEqual(
        lines,
        lines.toSorted((a, b) => a.slice(0, 19).localeCompare(b.slice(0, 19))),
      );
      const words = lines.map((line) => line.slice(25).replaceAll(/(checkout|upgrade) [\w-]+(?=\))/g, '$1 ID'));
      assert.deepEqual(words, [
        'opened the account with the plan free and 1 free export credit',
        `created the key "default" (${key})`,
        `added ${event} to the cart`,
        'opened a checkout for 1 event (checkout ID)',
        `fixed the price of ${event} at 5.00 USD (checkout ID)`,
        `bought ${event} for 5.00 USD (checkout ID)`,
        'unlocked 1 event (checkout ID)',
        'closed the checkout, 0 lines left in the cart (checkout ID)',
        `requested ${event} as csv with snapshots, l2, covered by its unlock (export ${exported})`,
        `received a file with 1,450 rows, 90,103 bytes (export ${exported})`,
        'ExportFramed',
        'ordered the plan pro for 49.00 USD a month (upgrade ID)',
        'changed the plan to pro',
        'completed the upgrade to pro (upgrade ID)',
        `revoked the key "default" (${key})`,
      ]);
    });

    it('prints a history of any length, each event once', async () => {
      const { account } = await fixture.create();
      for (let n = 0; n < 1_200; n += 200) {
        const some = Array.from({ length: 200 }, (_, at) => `Event${n + at}`);
        await Promise.all(some.map((type) => fixture.appendToExport(account, 'long', type)));
      }
      const headers = (await fixture.ok('events', account)).trimEnd().split('\n').slice(2);
      const numbers = headers.map((line) => Number(/Event(\d+)$/.exec(line)?.[1]));
      assert.deepEqual(
        numbers.toSorted((a, b) => a - b),
        Array.from({ length: 1_200 }, (_, n) => n),
      );
    });

    it('explains a typing error in one sentence', async () => {
      const help = 'To list the commands, run: npm run almanac -- --help';
      const { account } = await fixture.create();
      const wrong: Readonly<Record<string, string>> = {
        'account delete': `This command does not exist. Commands of account: account create, account list, account show, account erase. ${help}`,
        account: `This command does not exist. Commands of account: account create, account list, account show, account erase. ${help}`,
        'acount list': `This command does not exist. Did you mean account list? ${help}`,
        'plans list': `This command does not exist. Did you mean plan list? ${help}`,
        'key crate --account x': `This command does not exist. Did you mean key create? ${help}`,
        statsu: `This command does not exist. Did you mean status? ${help}`,
        'accounts delete': `This command does not exist. Commands of account: account create, account list, account show, account erase. ${help}`,
        'make coffee': `This command does not exist. ${help}`,
        'account create --emial ada@example.com': `Unknown option '--emial'. Did you mean --email? ${help}`,
        'account create --plan fre': 'Unknown plan fre. Did you mean free? Use free, pro, full_book or internal.',
        'completion powershell': 'Name the shell: bash, zsh or fish.',
        'completion bsh': 'Name the shell: bash, zsh or fish. Did you mean bash?',
        completion: 'Name the shell: bash, zsh or fish.',
        'account create --colour red': `Unknown option '--colour'. ${help}`,
        'account create --plan': `Option '--plan <value>' argument missing. ${help}`,
        'account create --plan gold': 'Unknown plan gold. Use free, pro, full_book or internal.',
        'account create --email ada': 'The email address is not valid. Use the form name@example.com.',
        'account create --name Ada': '--name needs --email. Add the email address.',
        'account create ada@example.com':
          'Usage: npm run almanac -- account create [--email E] [--name N] [--plan free|pro|full_book|internal]',
        'account show': 'Name the account by its id or its email address.',
        'account show nobody@example.com': 'No account has this email address.',
        'account show nobody': 'This account does not exist. Check the account id.',
        'events nobody': 'This account does not exist. Check the account id.',
        'key list --yes': 'Usage: npm run almanac -- key list --account ACCOUNT',
        'key create --account nobody': 'This account does not exist. Check the account id.',
        [`key create --account ${account} --as-of noon`]:
          'The time of --as-of must be Unix seconds, such as 1771993500.',
        [`key create --account ${account} --as-of 4000000000`]: 'as_of is in the future. Send a time that has passed.',
        'key revoke': 'Name the key by its id. `key list` shows the ids.',
        'key revoke *': 'The key id is not valid. `key list` shows the ids.',
        [`plan set --account ${account}`]: 'Name the plan with --plan: free, pro, full_book or internal.',
        [`account erase ${account}`]: 'Erased data cannot be restored. To confirm, add --yes.',
      };
      await Promise.all(
        Object.entries(wrong).map(async ([typed, sentence]) =>
          assert.equal(await fixture.refused(...typed.split(' ')), sentence, typed),
        ),
      );
      const out = await fixture.ok('--help');
      for (const words of [
        'account create',
        'account show',
        'account list',
        'account erase',
        'plan list',
        'completion',
        'key create',
        'key list',
        'key revoke',
        'plan set',
        'events',
      ]) {
        assert.ok(out.includes(`npm run almanac -- ${words}`), words);
      }
    });

    it('keeps e-mail addresses and names out of events, logs and responses, and erases them everywhere', async () => {
      const person = { email: 'Alan.Turing@Example.org', name: 'Alan M. Turing' };
      const traces = ['alan.turing', 'alan m. turing'];
      const isTraced = (text: string): boolean => traces.some((trace) => text.toLowerCase().includes(trace));
      const { key, account } = keyIn(
        await fixture.ok('account', 'create', '--email', person.email, '--name', person.name),
      );
      assert.ok(isTraced(await fixture.ok('account', 'show', person.email)), 'the operator is shown the person');
      await fixture.ok('events', person.email);
      await fixture.ok('plan', 'set', '--account', person.email, '--plan', 'pro');
      await fixture.ok('key', 'create', '--account', person.email);
      await fixture.refused('account', 'create', '--email', person.email, '--name', person.name);
      await fixture.refused('account', 'create', '--email', `${person.email} `.repeat(2));
      await fixture.refused('account', 'show', `x${person.email}`);
      await fixture.refused('account', 'erase', person.email);

      const stored = await fixture.messages();
      const traced = stored.filter(({ text }) => isTraced(text)).map(({ stream, subject }) => `${stream} ${subject}`);
      assert.deepEqual(traced, [`KV_PERSONAL ${subjects.person(account)}`]);
      assert.ok(!isTraced(fixture.output()), fixture.output());
      assert.ok(!isTraced(await fixture.logged()));

      assert.equal(
        await fixture.ok('account', 'erase', person.email.toLowerCase(), '--yes'),
        `Erased the personal data of the account ${account}. Its keys still work.\n`,
      );
      fixture.answer(false, true);
      assert.equal(await fixture.ok('account', 'erase', account), 'Nothing was erased.\n');
      assert.equal(await fixture.ok('account', 'erase', account), `The account ${account} has no personal data.\n`);
      assert.ok(await fixture.opens(key));
      assert.match(
        await fixture.ok('account', 'show', account),
        /^E-mail {8}unknown\nName {10}unknown\nPlan {10}pro$/m,
      );
      assert.match(await fixture.ok('events', account), /UTC {2}erased the personal data\n/);
      assert.equal(await fixture.refused('account', 'show', person.email), 'No account has this email address.');
      const left = await fixture.messages();
      assert.deepEqual(
        left.filter(({ text, stream }) => isTraced(text) || (stream === 'KV_PERSONAL' && text.includes(account))),
        [],
      );
      assert.ok(!isTraced(await everyFile(fixture.nats.dir)), 'no byte is left on disk');
      assert.ok(!isTraced(fixture.output() + (await fixture.logged())));
      assert.match(await fixture.logged(), /"service":"commerce"/);
    });
  });
};
