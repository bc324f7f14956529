// In the full run: it needs a network of its own, in which it decides what the resolver of the system answers. That takes root, or
// a kernel that lets users make namespaces.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const namespace = ['--map-root-user', '--net', '--mount'];
const program = fileURLToPath(new URL('../testing/rebinding-attack.js', import.meta.url));
const inside = `
ip link set lo up
mount --bind "$1/resolv.conf" /etc/resolv.conf
mount --bind "$1/nsswitch.conf" /etc/nsswitch.conf
exec "$2" --enable-source-maps "$3"`;
const attackResult = z.object({
  attempts: z.array(z.object({ error: z.string().nullable(), lookups: z.int() })).min(1),
  connections: z.int(),
});

describe('a name that changes its address after its webhook was created', { timeout: 300_000 }, () => {
  let folder = '';
  let results: ReadonlyMap<string, z.output<typeof attackResult>> | undefined;
  before(async () => {
    const isPermitted = await run('unshare', [...namespace, 'true']).then(
      () => true,
      () => false,
    );
    if (!isPermitted) return;
    folder = await mkdtemp(join(tmpdir(), 'almanac-rebinding-'));
    await writeFile(join(folder, 'resolv.conf'), 'nameserver 127.0.0.1\n');
    await writeFile(join(folder, 'nsswitch.conf'), 'hosts: files dns\n');
    const { stdout } = await run('unshare', [
      ...namespace,
      'sh',
      '-ec',
      inside,
      'sh',
      folder,
      process.execPath,
      program,
    ]);
    results = new Map(Object.entries(z.record(z.string(), attackResult).parse(JSON.parse(stdout))));
  });
  after(() => (folder === '' ? undefined : rm(folder, { recursive: true, force: true })));

  const attacks = (t: TestContext): NonNullable<typeof results> | undefined => {
    if (results === undefined) t.skip('namespaces of the network need root: run npm run test:full as root');
    return results;
  };
  const allowed = 'with an allowed network';

  it('reaches no address of this machine or its network, by the resolver of the system', (t) => {
    const found = attacks(t);
    if (found === undefined) return;
    assert.equal(found.size, 9);
    for (const [name, { attempts, connections }] of found) {
      if (name === allowed) continue;
      assert.equal(connections, 0, name);
      assert.match(attempts.at(-1)?.error ?? '', /^The address is not public\. /, name);
    }
  });

  it('is looked up once for each connection', (t) => {
    for (const [name, { attempts }] of attacks(t) ?? [])
      for (const { lookups } of attempts) assert.equal(lookups, 1, name);
  });

  it('reaches this machine where the operator allows it, so the attack can work', (t) => {
    const found = attacks(t);
    if (found !== undefined) assert.equal(found.get(allowed)?.connections, 1);
  });
});
