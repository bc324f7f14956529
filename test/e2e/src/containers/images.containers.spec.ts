import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { processNames } from '@almanac/contracts';
import { repository } from '../start/npm-start.js';
import { docker } from './compose.js';

const services = [...processNames, 'operator', 'ingest'];
const bytesMax = 200_000_000;
const build = (service: string, file = 'deploy/Dockerfile', ...options: readonly string[]): Promise<string> => {
  const args = ['--file', file, '--build-arg', `SERVICE=${service}`, '--tag', `almanac/${service}`];
  return docker(['build', ...options, ...args, '.']);
};

describe('the images', { timeout: 900_000 }, () => {
  for (const service of services) {
    it(`is under 200 MB for ${service}, and has neither a package manager nor a tool to build or fetch`, async () => {
      await build(service);
      const bytes = Number(await docker(['image', 'inspect', '--format', '{{.Size}}', `almanac/${service}`]));
      assert.ok(bytes < bytesMax, `${service} has ${bytes} bytes`);
      const look = 'ls() { echo "$1"/*; }; ls /bin; ls /usr/bin; ls /usr/local/bin; ls /app/node_modules/.pnpm';
      const files = await docker(['run', '--rm', `almanac/${service}`, 'bash', '-c', look]);
      const [bin = '', usrBin = '', local = '', packages = ''] = files.split('\n');
      assert.deepEqual(`${bin} ${usrBin} ${local}`.split(' '), [
        '/bin/bash',
        '/usr/bin/*',
        '/usr/local/bin/node',
        '/usr/local/bin/ready',
      ]);
      assert.doesNotMatch(packages, /chdb|testcontainers|typescript/);
    });
  }

  it('are built a second time without the network', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'almanac-dockerfile-'));
    try {
      // --no-cache would start with empty cache mounts. This repeats every step too, and keeps them.
      const text = await readFile(join(repository, 'deploy', 'Dockerfile'), 'utf8');
      const again = text.replace(/^WORKDIR \/checkout$/m, `ENV AGAIN=${randomUUID()}\n$&`);
      assert.notEqual(again, text);
      await writeFile(join(folder, 'Dockerfile'), again);
      await build('keys', join(folder, 'Dockerfile'), '--network', 'none');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
