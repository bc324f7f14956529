import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { json, stubServer } from '../../testing/stub-server.js';
import { AlmanacNode } from '../client.js';

it('a sync as of a time is refused by its first request, and stores nothing', async () => {
  const detail = 'A list of changes is of the present, so as_of does not work with changed_since_ts.';
  const server = await stubServer(json(400, { code: 'invalid_input', detail, request_id: 'r' }));
  const folder = await mkdtemp(join(tmpdir(), 'almanac-sync-'));
  try {
    const client = new AlmanacNode({ apiKey: 'ak', baseUrl: server.url });
    await assert.rejects(
      client.sync(join(folder, 'copy')),
      /as_of_unsupported: .* Sync with a client and a key without/,
    );
    assert.equal(server.requests.length, 1);
    assert.equal(existsSync(join(folder, 'copy', 'almanac.json')), false);
  } finally {
    await server.close();
    await rm(folder, { recursive: true });
  }
});
