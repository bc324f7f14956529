import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { readText, repository } from './repository.js';

const run = promisify(execFile);

describe('npm run images:pin', () => {
  let folder = '';
  let file = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-pin-'));
    file = join(folder, 'variables');
    await answerWith('printf \'{"digest":"sha256:%064d"}\' "$DIGEST"');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** A client of the engine that runs this command. */
  const answerWith = async (command: string): Promise<void> => {
    await writeFile(join(folder, 'docker'), `#!/bin/sh\n${command}\n`);
    await chmod(join(folder, 'docker'), 0o755);
  };
  const pin = (digest: number) =>
    run(process.execPath, [join(repository, 'scripts/pin-images.mjs'), '--file', file], {
      env: { ...process.env, PATH: [folder, process.env['PATH']].join(delimiter), DIGEST: String(digest) },
    });
  const digest = (value: number): string => `sha256:${String(value).padStart(64, '0')}`;

  it('pins every image of docker-compose.yml, and leaves all other lines', async () => {
    await writeFile(file, 'PORT=8081\nNATS_IMAGE=nats:2.13-alpine');
    await pin(7);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    assert.deepEqual(lines.slice(0, 2), ['PORT=8081', `NATS_IMAGE=nats:2.13-alpine@${digest(7)}`]);
    const variables = [...(await readText('docker-compose.yml')).matchAll(/\$\{(\w+_IMAGE):-/g)].map(
      ([, name]) => name,
    );
    assert.deepEqual(new Set(lines.slice(1).map((line) => line.split('=')[0])), new Set(variables));
    for (const line of lines.slice(1)) assert.ok(line.endsWith(`@${digest(7)}`), line);
  });

  it('gives a pinned image the new digest of its tag', async () => {
    await pin(8);
    const text = await readFile(file, 'utf8');
    assert.ok(!text.includes(digest(7)));
    assert.match(text, new RegExp(`^NATS_IMAGE=nats:2\\.13-alpine@${digest(8)}$`, 'm'));
  });

  it('changes nothing if a registry does not answer or names no digest', async () => {
    const pinned = await readFile(file, 'utf8');
    for (const [command, message] of [
      ['echo "no such host" >&2; exit 1', /^Looking up \S+ failed: no such host/],
      ["echo '{}'", /^The registry names no digest of \S+\.\n$/],
    ] as const) {
      await answerWith(command);
      await assert.rejects(pin(9), { code: 1, stderr: message });
      assert.equal(await readFile(file, 'utf8'), pinned);
    }
  });
});
