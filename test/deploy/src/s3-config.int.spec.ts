import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { z } from 'zod';
import { repository } from './repository.js';

const run = promisify(execFile);
const program = join(repository, 'deploy', 's3', 'start.sh');
const key = {
  S3_ACCESS_KEY_ID: 'exportkey',
  S3_SECRET_ACCESS_KEY: 'exportsecret',
  S3_SLABS_ACCESS_KEY_ID: 'slabskey',
  S3_SLABS_SECRET_ACCESS_KEY: 'slabssecret',
};

/** The format of versitygw v1.7.0 (auth/iam.go). */
const users = z.strictObject({
  accessAccounts: z.record(
    z.string(),
    z.strictObject({
      access: z.string(),
      secret: z.string(),
      role: z.enum(['admin', 'user', 'userplus']),
      userID: z.int(),
      groupID: z.int(),
      projectID: z.int(),
    }),
  ),
});

// The server exists only as an image. A program of the same name records how it was started.
describe('the object store start program of compose', () => {
  let dir = '';
  let iam = '';
  let env: NodeJS.ProcessEnv = {};
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'almanac-s3-config-'));
    iam = join(dir, 'iam');
    await writeFile(join(dir, 'versitygw'), '#!/bin/sh\necho "$VGW_IAM_DIR: $*"\n');
    await chmod(join(dir, 'versitygw'), 0o755);
    env = { PATH: `${dir}${delimiter}${process.env['PATH'] ?? ''}`, VGW_IAM_DIR: iam };
  });
  after(() => rm(dir, { recursive: true, force: true }));

  it('creates the keys of export and timeseries as users without admin permissions, even when it starts again', async () => {
    for (let time = 0; time < 2; time += 1) {
      const { stdout } = await run('sh', [program], { env: { ...env, ...key } });
      assert.equal(stdout, `${iam}: posix /data\n`);
      const path = join(iam, 'users.json');
      const { accessAccounts } = users.parse(JSON.parse(await readFile(path, 'utf8')));
      const ids = { userID: 0, groupID: 0, projectID: 0 };
      assert.deepEqual(accessAccounts, {
        exportkey: { access: 'exportkey', secret: 'exportsecret', role: 'user', ...ids },
        slabskey: { access: 'slabskey', secret: 'slabssecret', role: 'user', ...ids },
      });
      assert.equal((await stat(path)).mode & 0o777, 0o600);
    }
  });

  it('does not start while a key is missing or empty, and names its variable', async () => {
    for (const variable of Object.keys(key)) {
      for (const given of [{ [variable]: '' }, { [variable]: undefined }]) {
        const failed: unknown = await run('sh', [program], { env: { ...env, ...key, ...given } }).then(
          () => assert.fail('it ended with code 0'),
          (error: unknown) => error,
        );
        assert.match(z.object({ stderr: z.string() }).parse(failed).stderr, new RegExp(variable));
      }
    }
  });
});
