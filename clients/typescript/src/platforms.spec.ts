import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { json, refusal, stubServer } from './testing/stub-server.js';

const run = promisify(execFile);
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const tsc = here('../../../node_modules/typescript/bin/tsc');

const program = `
  import { Almanac } from ${JSON.stringify(here('./node/index.js'))};
  const client = new Almanac({ baseUrl: process.argv[1], apiKey: 'ak' });
  const key = await client.keys.create({ name: 'mine' });
  console.log(key.id, typeof globalThis.crypto, typeof AbortSignal.any);
`;

describe('the client', () => {
  it('compiles without the types of Node, so browsers can run it', async () => {
    await run(process.execPath, [tsc, '-p', here('../tsconfig.browser.json')]);
  });

  it('runs without what is newer than Node 18', async () => {
    const server = await stubServer(refusal(503, 'unavailable', { 'Retry-After': '0' }), json(200, { id: 'key-1' }));
    try {
      const preload = here('./testing/remove-newer-than-node-18.js');
      const args = ['--import', preload, '--input-type=module', '-e', program, server.url];
      const { stdout } = await run(process.execPath, args);
      assert.equal(stdout, 'key-1 undefined undefined\n');
    } finally {
      await server.close();
    }
  });
});
