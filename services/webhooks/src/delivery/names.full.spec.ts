// In the full run: it needs a network of its own, in which it decides what the name server of the system answers. That takes root,
// or a kernel that lets users make namespaces.
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
const inside = `
ip link set lo up
mount --bind "$1/resolv.conf" /etc/resolv.conf
mount --bind "$1/nsswitch.conf" /etc/nsswitch.conf
exec "$2" --enable-source-maps "$3"`;

let folder = '';
before(async () => {
  const isPermitted = await run('unshare', [...namespace, 'true']).then(
    () => true,
    () => false,
  );
  if (!isPermitted) return;
  folder = await mkdtemp(join(tmpdir(), 'almanac-names-'));
  await writeFile(join(folder, 'resolv.conf'), 'nameserver 127.0.0.1\n');
  await writeFile(join(folder, 'nsswitch.conf'), 'hosts: files dns\n');
});
after(() => (folder === '' ? undefined : rm(folder, { recursive: true, force: true })));

/** What a program of `testing` prints in a network of its own. Undefined if the system permits none. */
const attack = async <T>(name: string, schema: z.ZodType<T>): Promise<T | undefined> => {
  if (folder === '') return undefined;
  const program = fileURLToPath(new URL(`../testing/${name}.js`, import.meta.url));
  const command = [...namespace, 'sh', '-ec', inside, 'sh', folder, process.execPath, program];
  return schema.parse(JSON.parse((await run('unshare', command)).stdout));
};
const permitted = <T>(t: TestContext, found: T | undefined): T | undefined => {
  if (found === undefined) t.skip('namespaces of the network need root: run npm run test:full as root');
  return found;
};

const attackResult = z.object({
  attempts: z.array(z.object({ error: z.string().nullable(), lookups: z.int() })).min(1),
  connections: z.int(),
});

describe('a name that changes its address after its webhook was created', { timeout: 300_000 }, () => {
  let results: Record<string, z.output<typeof attackResult>> | undefined;
  before(async () => {
    results = await attack('rebinding-attack', z.record(z.string(), attackResult));
  });
  const allowed = 'with an allowed network';

  it('reaches no address of this machine or its network, by the name server of the system', (t) => {
    const found = permitted(t, results);
    if (found === undefined) return;
    assert.equal(Object.keys(found).length, 9);
    for (const [name, { attempts, connections }] of Object.entries(found)) {
      if (name === allowed) continue;
      assert.equal(connections, 0, name);
      assert.match(attempts.at(-1)?.error ?? '', /^The address is not public\. /, name);
    }
  });

  it('is looked up once for each connection', (t) => {
    for (const [name, { attempts }] of Object.entries(permitted(t, results) ?? {}))
      for (const { lookups } of attempts) assert.equal(lookups, 1, name);
  });

  it('reaches this machine where the operator allows it, so the attack can work', (t) => {
    const found = permitted(t, results);
    if (found !== undefined) assert.equal(found[allowed]?.connections, 1);
  });
});

describe('sixteen names whose servers never answer', { timeout: 300_000 }, () => {
  it('keep no delivery to another name waiting', async (t) => {
    const result = z.object({ status: z.int().nullable(), error: z.string().nullable(), ended: z.int(), ms: z.int() });
    const found = permitted(t, await attack('slow-names-attack', result));
    if (found === undefined) return;
    t.diagnostic(`Remark: ${JSON.stringify(found)}`);
    assert.deepEqual([found.status, found.error, found.ended], [200, null, 0]);
  });
});
