import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { javascriptOf, pythonOf, type ShownRequest } from './snippets.js';

const run = promisify(execFile);

describe('the code for a request', () => {
  const received: { method: string | undefined; header: unknown; body: string }[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    void request.toArray().then((parts) => {
      received.push({
        method: request.method,
        header: request.headers['x-text'],
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
    { url, method: 'DELETE', headers: {}, body: undefined },
    {
      url,
      method: 'POST',
      headers: { 'X-Text': `it's "quoted" \\ \${x}` },
      body: `{\n\t"a": "é \\" \\\\ 😀 \${x} {x}"\n}`,
    },
  ];

  const runAll = async (command: string, args: readonly string[], codeOf: (request: ShownRequest) => string) => {
    for (const request of shown()) {
      const { stdout } = await run(command, [...args, codeOf(request)], { timeout: 60_000 });
      assert.equal(stdout, 'the answer\n');
      const { method, headers, body = '' } = request;
      assert.deepEqual(received.pop(), { method, header: headers['X-Text'], body });
    }
  };

  it('sends the same request in JavaScript', () =>
    runAll(process.execPath, ['--input-type=module', '-e'], javascriptOf));

  it('sends the same request in Python', async () => {
    await run('python3', ['--version']).catch((cause: unknown) => {
      throw new Error('This test needs Python 3. Install it so that the command `python3` works.', { cause });
    });
    await runAll('python3', ['-c'], pythonOf);
  });
});
