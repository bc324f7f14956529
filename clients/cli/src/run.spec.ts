import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { PassThrough } from 'node:stream';
import { runCommandLine } from './run.js';

/** The digits are those of the server, which no parsed number has. */
const hit = '{"kind":"series","id":"FED","title":"Rates","status":"live","close_ts":1.50,"score":1}';
const found = `{"hits":[${hit}],"has_more":true,"next_offset":1,"corrected_query":"fed"}`;
const refused = '{"detail":"There is no market NOPE.","code":"market_not_found","request_id":"r-1"}';

describe('a command', () => {
  let server: Server;
  before(async () => {
    server = createServer(({ url }, response) => {
      const isSearch = url?.startsWith('/api/v1/search') === true;
      response.writeHead(isSearch ? 200 : 404, { 'Content-Type': 'application/json' }).end(isSearch ? found : refused);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => server.close());

  const run = async (...words: string[]) => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const { port } = server.address() as AddressInfo;
    const env = { ALMANAC_BASE_URL: `http://127.0.0.1:${port}`, ALMANAC_API_KEY: 'ak', HOME: '/nonexistent' };
    const streams = { stdout, stderr } as unknown as Pick<NodeJS.Process, 'stdout' | 'stderr'>;
    const code = await runCommandLine(words, { env, stdin: process.stdin, ...streams }, new AbortController().signal);
    return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
  };

  it('prints its result on stdout, as the answer itself with --json, and remarks on stderr', async () => {
    const remarks =
      'Nothing matches fdd. These are the results for fed.\nThis is the first of several. Add --all to list them all.\n';
    assert.deepEqual(await run('search', 'fdd', '--json'), { code: 0, stdout: `${found}\n`, stderr: remarks });
    const csv = 'kind,id,title,status,close_ts,score\nseries,FED,Rates,live,1.5,1\n';
    assert.deepEqual(await run('search', 'fdd', '--csv', '--quiet'), { code: 0, stdout: csv, stderr: '' });
    const text = 'KIND    ID   TITLE  STATUS  CLOSES (UTC)\nseries  FED  Rates  live    1970-01-01 00:00:01.5Z\n';
    assert.deepEqual(await run('search', 'fdd'), { code: 0, stdout: text, stderr: remarks });
  });

  it('prints an error on stderr only, with what to do about it, and as a line of JSON with --json', async () => {
    const { stderr, ...rest } = await run('market', 'NOPE');
    assert.deepEqual(rest, { code: 4, stdout: '' });
    assert.match(stderr, /^error: There is no market NOPE\.\n.+\n\(market_not_found, status 404, request r-1\)\n$/);
    const json = JSON.parse((await run('market', 'NOPE', '--json')).stderr) as Record<string, unknown>;
    assert.deepEqual([json['code'], json['status'], json['request_id']], ['market_not_found', 404, 'r-1']);
  });
});
