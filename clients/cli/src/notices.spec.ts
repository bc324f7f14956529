import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { PassThrough } from 'node:stream';
import { runCommandLine } from './run.js';

type Answers = Readonly<Record<string, object>>;

const empty = {
  code: 'window_empty',
  detail: 'The first one after is at 10:00Z, 4 h later.',
  loc: null,
  nearest: null,
};
const clamped = { code: 'window_clamped', detail: 'Send next_start_ts.', loc: null, nearest: null };
const coverage = { first_print_ts: 36_000, last_print_ts: 50_000, gaps: [], gaps_n: 0 };

describe('the notices of a command', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  const run = async (answers: Answers, ...words: string[]) => {
    const opened = createServer(({ url = '' }, response) => {
      const [path = ''] = url.split('?');
      const answer = answers[path] ?? { code: 'rate_limited', detail: 'The limit is 120.', request_id: 'r' };
      const status = path in answers ? 200 : 429;
      response.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': '3' });
      response.end(JSON.stringify(answer));
    });
    server = opened;
    await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const { port } = opened.address() as AddressInfo;
    const env = { ALMANAC_BASE_URL: `http://127.0.0.1:${port}`, ALMANAC_API_KEY: 'ak', HOME: '/nonexistent' };
    const streams = { stdout, stderr } as unknown as Pick<NodeJS.Process, 'stdout' | 'stderr'>;
    const stop = new AbortController();
    stderr.on('data', (text: Buffer) => {
      if (String(text).startsWith('Waiting')) stop.abort(new Error('seen'));
      said += String(text);
    });
    let said = '';
    const code = await runCommandLine(words, { env, stdin: process.stdin, ...streams }, stop.signal);
    return { code, stdout: String(stdout.read() ?? ''), stderr: said };
  };

  const page = {
    ticker: 'T',
    start_ts: 0,
    end_ts: 21_600,
    step_ms: 1_000,
    snapshots: [],
    clamped: true,
    has_more: true,
  };
  const market: Answers = {
    '/api/v1/markets/T/preview': { pending: false, coverage, snapshots: [], notices: [clamped] },
    '/api/v1/markets/T/snapshots': { ...page, next_start_ts: 21_600, notices: [clamped, empty] },
  };

  it('say that a window was cut, and where the nearest rows of an empty one are', async () => {
    const { code, stdout, stderr } = await run(market, 'snapshots', 'T', '--from', '1970-01-01');
    assert.deepEqual([code, stdout], [0, 'There is nothing in this window.\n']);
    assert.equal(
      stderr,
      'The window was cut: this is 1970-01-01 00:00:00Z to 1970-01-01 06:00:00Z. Add --all to read on.\n' +
        'The first one after is at 10:00Z, 4 h later.\n',
    );
  });

  it('are not printed with --quiet', async () => {
    assert.equal((await run(market, 'snapshots', 'T', '--from', '1970-01-01', '--quiet')).stderr, '');
  });

  it('are printed for every list, in the words of the shell', async () => {
    const notices = [
      { code: 'unknown_id', detail: 'No series X. Try `GET /api/v1/series`.', loc: null, nearest: null },
    ];
    const found = { markets: [], has_more: false, defaulted: false, notices };
    const { stderr } = await run({ '/api/v1/markets': found }, 'markets', '--series', 'X');
    assert.equal(stderr, 'No series X. Try almanac-data series.\n');
  });

  it('a pause is announced before it begins', async () => {
    const { stderr } = await run({}, 'plan', '--deadline', '5m');
    assert.match(stderr, /^Waiting [34] s, then attempt 2: The limit is 120\.\n/);
  });
});
