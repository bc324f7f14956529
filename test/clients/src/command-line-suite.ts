import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, before, beforeEach, describe, it } from 'node:test';
import { Almanac, type Export } from '@almanac/client/node';
import { eventually } from '@almanac/testing';
import type { ClientsSystem } from './clients-system.js';
import { runInTerminal, runPython } from './python/python.js';
import { commandPath, runCommand, runProgram } from './run-command.js';

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const pass = { kind: 'none' } as const;
const replayed = `
import almanac, hashlib, sys
events = [(event.ts_us, event.ticker, type(event).__name__) for event in almanac.replay(sys.argv[1])]
print(len(events), hashlib.sha256(repr(events).encode()).hexdigest())
`;

/** What the scenarios do not show: what people see, a terminal, Ctrl-C, exit codes, logins, and files shared with Python. */
export const describeCommandLine = (clients: () => ClientsSystem): void => {
  describe('almanac-data', () => {
    let proxy: ClientsSystem['proxy'];
    let env: Record<string, string>;
    let ticker: string;
    let event: string;
    let ready: Export;
    let folder: string;

    before(async () => {
      ({ proxy } = clients());
      ({ ticker, event } = clients().markets.at(-1) ?? assert.fail('there is no market'));
      env = { ALMANAC_BASE_URL: proxy.url, ALMANAC_API_KEY: await clients().key('full_book') };
      const almanac = new Almanac({ baseUrl: proxy.url, apiKey: env['ALMANAC_API_KEY'] });
      ready = await almanac.exports.create({ ticker }).wait();
    });
    beforeEach(async () => {
      folder = await clients().makeFolder();
      env = { ...env, XDG_CONFIG_HOME: join(folder, '..', 'config') };
    });
    afterEach(() => proxy.reset());

    const run = (...args: string[]) => runCommand(args, env);

    it('downloads an export with a bar on a terminal', async () => {
      const path = join(folder, 'file.csv');
      const line = [process.execPath, commandPath, 'export', '--ticker', ticker, '--wait', '-o', path];
      const { code, output } = await runInTerminal(line, { ...env, NO_COLOR: '' });
      assert.equal(code, 0, output);
      assert.match(output, /Preparing .*░/);
      assert.match(output, /Downloading .*█.* 100 % {2}.* of .*B\/s/);
      assert.ok(output.includes('\u001B[32m'));
      assert.match(output, /Its SHA-256 is right/);
      assert.equal(sha256Of(await readFile(path)), ready.sha256);
      const plain = await runInTerminal([process.execPath, commandPath, 'candles', ticker], { ...env, NO_COLOR: '1' });
      assert.match(plain.output, /┤.*█/);
      assert.ok(!plain.output.includes('\u001B[3'), plain.output);
    });

    it('has no bar, no colours and nothing on stderr in a pipe', async () => {
      const { code, stdout, stderr } = await runProgram(['exports', 'download', ready.id, '-o', folder], env);
      assert.deepEqual([code, stderr], [0, '']);
      assert.ok(!stdout.includes('\u001B'));
      assert.deepEqual(await readdir(folder), [ready.filename]);
      const missing = await runProgram(['market', 'NOPE'], env);
      assert.deepEqual([missing.code, missing.stdout], [4, '']);
    });

    it('prints the JSON of the API unchanged', async () => {
      const bytes = async (path: string): Promise<string> => {
        const headers = { Authorization: `Bearer ${env['ALMANAC_API_KEY']}` };
        return (await fetch(`${proxy.url}/api/v1${path}`, { headers })).text();
      };
      const printed = async (...args: string[]): Promise<string> => {
        const { code, stdout, stderr } = await run(...args, '--json');
        assert.equal(code, 0, stderr);
        return stdout;
      };
      for (const [args, path] of [
        [['market', ticker], `/markets/${ticker}`],
        [['candles', ticker, '--points', '12'], `/markets/${ticker}/candles?points=12`],
        [['exports', 'get', ready.id], `/exports/${ready.id}`],
        [['keys'], '/keys'],
      ] as const) {
        const [ours, theirs] = [await printed(...args), `${(await bytes(path)).trimEnd()}\n`];
        // The link of a file and the last use of a key differ from one answer to the next.
        const fixed = (text: string): string =>
          text.replaceAll(/"(download_url|last_used_ts|expires_in_s)":("[^"]*"|[\d.]+|null)/g, '"$1":0');
        assert.equal(fixed(ours), fixed(theirs), args.join(' '));
      }
      const rows = (await run('candles', ticker, '--period', '1m', '--csv')).stdout.trimEnd().split('\n');
      assert.match(rows[0] ?? '', /^ticker,start_ts,end_ts,.*mid_open/);
      assert.equal(rows.length, 16);
    });

    it('shows tables with units and UTC times', async () => {
      const { stdout, stderr } = await run('markets', '--series', 'GENBTC15M', '--limit', '2');
      assert.match(
        stdout,
        /^TICKER +TITLE +STATUS +RESULT +CLOSES \(UTC\)\nGENBTC15M-.* \d{4}-\d\d-\d\d \d\d:\d\d:00Z\n/,
      );
      assert.match(stderr, /These are the first 2\. Add --all/);
      const plan = (await run('plan')).stdout;
      assert.match(plan, /exports today +\d+ of 1,000, resets .*Z/);
      assert.match(plan, /^pro +49\.00 USD +1,200 +2 +10 +yes +no$/m);
      assert.match((await run('quote', '--ticker', ticker)).stdout, /rows +450\nsize +about [\d.]+ kB/);
    });

    it('shows every kind of thing as people read it', async () => {
      const shown: readonly (readonly [RegExp, ...string[]])[] = [
        [/^ID +LABEL +SERIES +EVENTS +MARKETS +LIVE\n/, 'categories'],
        [/^ID +LABEL +STATUS +EVENTS +MARKETS +NEXT CLOSE \(UTC\)\nGEN/, 'series', '--limit', '1'],
        [/^id +GENBTC15M\nlabel[^]*\n\nTICKER +TITLE/, 'series', 'get', 'GENBTC15M'],
        [/^EVENT +TITLE +STATUS +MARKETS +CLOSES/, 'series', 'events', 'GENBTCH', '--limit', '1'],
        [/^event +GENBTC15M-.*\n[^]*\n\nTICKER +TITLE/, 'event', event],
        [/^TIME \(UTC\) +TICKER +YES BID +YES ASK\n\d{4}-.*Z +GEN/, 'event', 'snapshots', event, '--step', '1m'],
        [/^TIME \(UTC\) +YES BID +YES ASK +COIN PRICE\n\d{4}-/, 'snapshots', ticker, '--raw', '--limit', '2'],
        [/^TIME \(UTC\) +PRICE +SIZE +TAKER +ID\n\d{4}-/, 'trades', ticker, '--order', 'desc', '--limit', '2'],
        [/^strike +at or above [\d.]+$/m, 'market', ticker],
        [/^dataset +\S+\nSHA-256 +\w{64}\n[^]*cite as[^]*\n@/, 'dataset', ready.dataset_id ?? ''],
        [/^ID +LABEL +OPENS IN\ncsv/, 'exports', 'formats'],
        [/^This server has no payment provider\.$/m, 'plan', 'portal'],
        [/^EVENT +TITLE +PRICE\n[^]*\ntotal +\d+\.\d\d USD$/m, 'cart', 'add', event],
        [/^The cart is empty\.$/m, 'cart', 'remove', event],
        [/secret +whsec_/, 'webhooks', 'create', 'https://receiver.invalid/', '--events', 'export.ready'],
        [/^ID +URL +STATUS +EVENTS\n\S+ +https:\/\/receiver\.invalid\/ +enabled +export\.ready$/m, 'webhooks'],
      ];
      for (const [expected, ...args] of shown) {
        const { code, stdout, stderr } = await run(...args);
        assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
        assert.match(stdout, expected, args.join(' '));
      }
      const [hook = ''] = /^\S+(?= +https:)/m.exec((await run('webhooks')).stdout) ?? [];
      assert.match((await run('webhooks', 'delete', hook)).stdout, /^Deleted the webhook \S+ to https:/);
      const rolling = await run('series', 'events', 'GENBTC15M');
      assert.match(rolling.stderr, /almanac-data series markets GENBTC15M/);
      const wrong = await run('webhooks', 'create', 'https://receiver.invalid/', '--events', 'export.redy');
      assert.deepEqual([wrong.code, /export\.ready/.test(wrong.stderr)], [2, true], wrong.stderr);
      const both = await run('snapshots', ticker, '--raw', '--step', '1m');
      assert.deepEqual([both.code, /exclude each other/.test(both.stderr)], [2, true], both.stderr);
    });

    it('leaves no half file under its name after Ctrl-C, and the same command continues', async () => {
      proxy.use(({ url }) => (url.endsWith('/file') ? { kind: 'stall', afterBytes: 40_000 } : pass));
      const args = ['exports', 'download', ready.id, '-o', join(folder, 'file.csv')];
      const command = spawn(process.execPath, [commandPath, ...args], {
        env: { ...process.env, ...env },
        stdio: 'pipe',
      });
      const partOf = async (): Promise<string> => (await readdir(folder)).find((name) => name.endsWith('.part')) ?? '';
      await eventually(async () => assert.equal((await stat(join(folder, await partOf()))).size, 40_000));
      command.kill('SIGINT');
      const [code] = (await once(command, 'exit')) as [number | null];
      assert.equal(code, 130);
      assert.deepEqual(await readdir(folder), [await partOf()]);
      proxy.reset();
      const again = await run(...args, '--json');
      assert.equal(again.code, 0, again.stderr);
      assert.equal((JSON.parse(again.stdout) as { resumedFrom: number }).resumedFrom, 40_000);
      assert.deepEqual(await readdir(folder), ['file.csv']);
      assert.equal(sha256Of(await readFile(join(folder, 'file.csv'))), ready.sha256);
    });

    it('continues what the Python client has begun, and the other way round', async () => {
      const path = join(folder, 'file.csv');
      const download = `import almanac, sys; almanac.Almanac(max_retries=0).exports.get(${JSON.stringify(ready.id)}).download(sys.argv[1])`;
      const byPython = async () => (await runPython(['-c', download, path], env)).code;
      const byCommand = async () => (await run('exports', 'download', ready.id, '-o', path, '--retries', '0')).code;
      const ranges = () =>
        proxy.requests.filter(({ url }) => url.endsWith('/file')).map(({ headers }) => headers.range);
      for (const [first, second] of [
        [byPython, byCommand],
        [byCommand, byPython],
      ] as const) {
        proxy.use(({ url }) => (url.endsWith('/file') ? { kind: 'cut', afterBytes: 40_000 } : pass));
        assert.notEqual(await first(), 0);
        assert.deepEqual(await readdir(folder), [`file.csv.${ready.sha256?.slice(0, 16)}.part`]);
        proxy.reset();
        assert.equal(await second(), 0);
        assert.deepEqual([ranges(), await readdir(folder)], [['bytes=40000-'], ['file.csv']]);
        assert.equal(sha256Of(await readFile(path)), ready.sha256);
        await rm(path);
      }
    });

    it('spends a free credit only after a question, and asks nobody in a pipe', async () => {
      const own = { ...env, ALMANAC_API_KEY: await clients().key('free') };
      const request = ['export', '--ticker', ticker];
      const client = new Almanac({ baseUrl: proxy.url, apiKey: own.ALMANAC_API_KEY });
      const used = async () => (await client.plan.get()).free_export_credit.used;
      const piped = await runCommand(request, own);
      assert.deepEqual([piped.code, await used()], [5, 0]);
      assert.match(piped.stderr, /--use-free-credit spends it/);
      const declined = await runCommand(request, own, { input: 'n\n', isTyped: true });
      assert.deepEqual([declined.code, await used()], [5, 0]);
      assert.match(declined.stderr, /The credit unlocks the event .* permanently\. Spend it\? \[y\/N\]/);
      const agreed = await runCommand([...request, '--wait'], own, { input: 'y\n', isTyped: true });
      assert.deepEqual([agreed.code, await used()], [0, 1], agreed.stderr);
    });

    it('says with its exit code what went wrong, and on stderr what to do', async () => {
      const free = await clients().key('free');
      const closed = clients().closedUrl;
      const spent = await runCommand(['export', '--ticker', ticker, '--use-free-credit', '--wait'], {
        ...env,
        ALMANAC_API_KEY: free,
      });
      assert.equal(spent.code, 0, spent.stderr);
      const bought = ['export', '--event', 'GENRATE-NEXT', '--streams', 'l2'];
      const codes: readonly [number, RegExp, readonly string[], Record<string, string>?][] = [
        [2, /Did you mean almanac-data search\?/, ['serch']],
        [2, /not a time\.[\s\S]*2026-02-25T04:30:00Z/, ['book', ticker, '--at', 'noon']],
        [2, /^error: --limit: Input should be greater than or equal to 1\.\n/, ['markets', '--limit', '0']],
        [2, /^error: --series: The archive has no series NOPE, .*WORDS\.\nCorrect/, ['markets', '--series', 'NOPE']],
        [2, /^error: --each-day needs --series/, ['export', '--ticker', ticker, '--each-day']],
        [
          4,
          /^error: The archive has no market \S+\.\nFind .* WORDS\. .* Did you mean GEN/,
          ['market', ticker.toLowerCase()],
        ],
        [2, /invalid_period, status 400, request /, ['candles', ticker, '--period', '7']],
        [2, /no API key\.\nType it, or send it on stdin/, ['login', '--url', closed]],
        [2, /cannot answer as of a time[\s\S]*\nLeave out --as-of\./, ['cart', '--as-of', '2026-02-25']],
        [3, /You are signed out\.\nRun almanac-data login/, ['plan'], { ALMANAC_API_KEY: '' }],
        [3, /unauthenticated/, ['plan'], { ALMANAC_API_KEY: 'ak_live_wrong' }],
        [4, /market_not_found/, ['market', 'NOPE']],
        [5, /You can buy one of:\n {2}\w+/, bought, { ALMANAC_API_KEY: free }],
        [6, /No answer from/, ['plan', '--retries', '0'], { ALMANAC_BASE_URL: closed }],
        [
          6,
          /last attempt failed: No.*\nRaise --deadline\. Check/,
          ['plan', '--deadline', '2s'],
          { ALMANAC_BASE_URL: closed },
        ],
        [7, /cannot be written/, ['exports', 'download', ready.id, '-o', '/dev/null/file']],
      ];
      for (const [expected, text, args, variables] of codes) {
        const { code, stdout, stderr } = await runCommand(args, { ...env, ...variables });
        assert.deepEqual([code, stdout], [expected, ''], `${args.join(' ')}: ${stderr}`);
        assert.match(stderr, text);
      }
      const json = await run('market', 'NOPE', '--json');
      const { code, status, remedy } = JSON.parse(json.stderr) as Record<string, unknown>;
      assert.deepEqual([json.code, code, status, typeof remedy], [4, 'market_not_found', 404, 'string']);
    });

    it('stores a key that the server accepts, for its owner only, and uses it', async () => {
      const { ALMANAC_API_KEY: key = '', XDG_CONFIG_HOME: config = '' } = env;
      const signedOut = { XDG_CONFIG_HOME: config, ALMANAC_API_KEY: '', ALMANAC_BASE_URL: '' };
      const path = join(config, 'almanac-data', 'config.json');
      const { foreignUrl } = clients();
      const wrong = await runCommand(['login', '--url', proxy.url], signedOut, { input: 'ak_live_wrong\n' });
      const html = await runCommand(['login', '--url', foreignUrl], signedOut, { input: `${key}\n` });
      assert.deepEqual([wrong.code, html.code], [3, 6]);
      assert.match(html.stderr, /instead of an answer of Almanac/);
      await assert.rejects(stat(path));
      const login = await runCommand(['login', '--url', proxy.url], signedOut, { input: `${key}\n` });
      assert.deepEqual([login.code, login.stderr], [0, '']);
      assert.ok(!login.stdout.includes(key));
      assert.equal((await stat(path)).mode & 0o777, 0o600);
      assert.equal((await runCommand(['plan'], signedOut)).code, 0);
      assert.equal((await runCommand(['plan', '--url', foreignUrl], signedOut)).code, 3);
      assert.equal((await runCommand(['logout'], signedOut)).code, 0);
      assert.equal((await runCommand(['plan'], signedOut)).code, 3);
    });

    it('syncs a folder that the Python client reads and continues', async () => {
      const [ours, theirs] = [join(folder, 'ours'), join(folder, 'theirs')];
      const args = ['--series', 'GENRATE', '--format', 'csv', '--streams', 'snapshots,trades', '--live', '--json'];
      const first = await run('sync', ours, ...args);
      assert.equal(first.code, 0, first.stderr);
      const counts = JSON.parse(first.stdout) as { downloaded: number; unchanged: number; live: number };
      assert.ok(counts.downloaded > 0 && counts.unchanged === 0);
      const sync = (path: string) =>
        `import almanac; r = almanac.sync(${JSON.stringify(path)}, series='GENRATE', format='csv', streams=['snapshots', 'trades'], live=True); print(r.downloaded, r.unchanged)`;
      const continued = await runPython(['-c', sync(ours)], env);
      assert.deepEqual([continued.code, continued.output.split(' ')[0]], [0, '0'], continued.output);
      assert.equal((await runPython(['-c', sync(theirs)], env)).code, 0);
      const stateOf = async (path: string) =>
        JSON.parse(await readFile(join(path, 'almanac.json'), 'utf8')) as Record<string, unknown>;
      const again = await run('sync', ours, ...args);
      assert.equal((JSON.parse(again.stdout) as typeof counts).downloaded, 0);
      assert.deepEqual(await stateOf(ours), await stateOf(theirs));
      const [mine, other] = [await runPython(['-c', replayed, ours]), await runPython(['-c', replayed, theirs])];
      assert.deepEqual([mine.code, mine.output], [0, other.output]);
      assert.ok(Number(mine.output.split(' ')[0]) > 100, mine.output);
      const others = await run('sync', ours, '--series', 'GENBTC15M', '--format', 'csv', '--json');
      assert.deepEqual([others.code, (JSON.parse(others.stderr) as { code: string }).code], [7, 'file_conflict']);
    });
  });
};
