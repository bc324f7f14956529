import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { runCommand } from './run-command.js';

/** Large enough for a connection of its own. */
const file = Buffer.alloc(3_000_000, 'a file');
const sha256 = createHash('sha256').update(file).digest('hex');
const ready = { id: 'e-1', status: 'ready', filename: 'file.csv', bytes: file.length, sha256 };

for (const more of [[], ['--json']]) {
  it(`a large file is not read with fetch, which is slower, by ${['exports download', ...more].join(' ')}`, async (test) => {
    const files: IncomingHttpHeaders[] = [];
    const server = createServer(({ url = '', headers }, response) => {
      if (url !== '/api/v1/exports/e-1/file') {
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(ready));
        return;
      }
      files.push(headers);
      response.writeHead(200, { 'Content-Type': 'text/csv', 'Content-Length': file.length }).end(file);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const folder = await mkdtemp(join(tmpdir(), 'almanac-command-'));
    test.after(async () => {
      server.close();
      await rm(folder, { recursive: true });
    });
    const env = {
      ALMANAC_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      ALMANAC_API_KEY: 'ak',
      XDG_CONFIG_HOME: folder,
    };
    const { code, stderr } = await runCommand(['exports', 'download', 'e-1', '-o', `${folder}/`, ...more], env);
    assert.equal(code, 0, stderr);
    assert.ok(file.equals(await readFile(join(folder, 'file.csv'))));
    // `fetch` names its client.
    assert.deepEqual(
      files.map(({ 'user-agent': agent }) => agent),
      [undefined],
    );
  });
}
