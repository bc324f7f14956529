import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { curlOf, goOf, javascriptOf, pythonOf, type ShownRequest } from './snippets.js';

const run = promisify(execFile);
const key = 'ak_live_of_the_environment';

describe('the code for a request', () => {
  const received: { method: string | undefined; authorization: unknown; type: unknown; body: string }[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    void request.toArray().then((parts) => {
      received.push({
        method: request.method,
        authorization: request.headers.authorization,
        type: request.headers['content-type'],
        body: Buffer.concat(parts).toString(),
      });
      response.end('the answer');
    });
  });
  let url = '';
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/a?b='c'`;
  });
  after(() => server.close());

  const shown = (): ShownRequest[] => [
    { url, method: 'DELETE', body: undefined },
    { url, method: 'POST', body: `{\n\t"a": "é \\" \\\\ 😀 \${x} {x} it's"\n}` },
  ];

  const runAll = async (command: string, args: readonly string[], codeOf: (request: ShownRequest) => string) => {
    for (const request of shown()) {
      const env = { ...process.env, ALMANAC_API_KEY: key };
      const { stdout } = await run(command, [...args, codeOf(request)], { timeout: 60_000, env });
      assert.equal(stdout.trim(), 'the answer');
      const { method, body = '' } = request;
      const type = body === '' ? undefined : 'application/json';
      assert.deepEqual(received.pop(), { method, authorization: `Bearer ${key}`, type, body });
    }
  };

  it('sends the same request by curl', () => runAll('bash', ['-c'], curlOf));

  it('sends the same request in JavaScript', () =>
    runAll(process.execPath, ['--input-type=module', '-e'], javascriptOf));

  it('sends the same request in Python', async () => {
    await run('python3', ['--version']).catch((cause: unknown) => {
      throw new Error('This test needs Python 3. Install it so that the command `python3` works.', { cause });
    });
    await runAll('python3', ['-c'], pythonOf);
  });

  it('has in Go what it needs, and imports nothing that it does not use', () => {
    const [plain, withBody] = shown().map(goOf);
    assert.doesNotMatch(plain ?? '', /strings/);
    assert.match(withBody ?? '', /"strings"[^]*strings\.NewReader\("\{\\n\\t/);
    for (const code of [plain, withBody]) assert.match(code ?? '', /Set\("Authorization", "Bearer "\+os\.Getenv/);
  });
});
