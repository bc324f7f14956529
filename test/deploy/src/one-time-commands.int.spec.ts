import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { connectObjectStore, slabsPrefix } from '@almanac/object-store';
import { testClickHouse, testS3 } from '@almanac/testing';
import { z } from 'zod';
import type { Environment } from './repository.js';
import { readYaml, repository } from './repository.js';

const run = promisify(execFile);
const programs = { migrate: 'libs/clickhouse/dist/migrate-main.js', bucket: 'services/export/dist/bucket-main.js' };

/** Runs one of the programs to its end with only these environment variables. */
const outputOf = async (program: keyof typeof programs, env: Environment): Promise<string> => {
  const { stdout } = await run(process.execPath, [join(repository, programs[program])], { env, timeout: 120_000 });
  return stdout;
};

const failureOf = async (program: keyof typeof programs, env: Environment): Promise<string> => {
  const failed: unknown = await outputOf(program, env).then(
    () => assert.fail('it ended with code 0'),
    (error: unknown) => error,
  );
  const { code, stderr } = z.object({ code: z.int(), stderr: z.string() }).parse(failed);
  assert.equal(code, 1);
  return stderr;
};

describe('the one-time commands before the services', () => {
  it('migrate creates the schema, and does nothing the second time', async () => {
    const server = await testClickHouse({ hasTables: false });
    try {
      const env = {
        CLICKHOUSE_URL: server.url,
        CLICKHOUSE_USER: server.username,
        CLICKHOUSE_PASSWORD: server.password,
      };
      assert.match(await outputOf('migrate', env), /^Applied 001_\w+\.sql, .*\.$/m);
      assert.equal(await outputOf('migrate', env), 'The schema is up to date.\n');
      const wrong = await failureOf('migrate', { ...env, CLICKHOUSE_PASSWORD: 'wrong' });
      assert.match(wrong, /^The migration failed: .*Authentication failed/);
    } finally {
      await server.stop();
    }
  });

  it('bucket creates the bucket and permits the service its work in it, even the second time', async () => {
    const user = { accessKeyId: 'export', secretAccessKey: randomUUID() };
    const slabs = { accessKeyId: 'timeseries', secretAccessKey: randomUUID() };
    const server = await testS3({ users: [user, slabs] });
    try {
      const env = {
        S3_ENDPOINT: server.url,
        S3_BUCKET: 'another',
        S3_ACCESS_KEY_ID: server.accessKeyId,
        S3_SECRET_ACCESS_KEY: server.secretAccessKey,
        S3_GRANTEE: user.accessKeyId,
        S3_SLABS_GRANTEE: slabs.accessKeyId,
      };
      const objects = connectObjectStore({ endpoint: server.url, region: 'us-east-1', bucket: 'another', ...user });
      await assert.rejects(objects.check(), { failure: 'refused' });
      for (let time = 0; time < 2; time += 1) {
        assert.equal(await outputOf('bucket', env), 'The bucket another is ready.\n');
        await objects.check();
      }
      const shared = connectObjectStore({ endpoint: server.url, region: 'us-east-1', bucket: 'another', ...slabs });
      assert.equal(await shared.read(`${slabsPrefix}none`), undefined);
      for (const one of [objects, shared]) one.close();
      assert.match(
        await failureOf('bucket', { ...env, S3_SECRET_ACCESS_KEY: 'wrong' }),
        /^The bucket could not be prepared: [^\n]+\n$/,
      );
    } finally {
      await server.stop();
    }
  });

  it('each names its missing variables', async () => {
    assert.match(await failureOf('migrate', {}), /CLICKHOUSE_URL[^]*CLICKHOUSE_USER/);
    assert.match(await failureOf('bucket', {}), /S3_ENDPOINT[^]*S3_SECRET_ACCESS_KEY/);
  });

  it('are the programs that docker-compose.yml runs in the images of catalog and export', async () => {
    const command = z.object({ image: z.string(), command: z.array(z.string()) });
    const [file] = await readYaml('docker-compose.yml');
    const { services } = z.object({ services: z.object({ migrate: command, bucket: command }) }).parse(file);
    assert.deepEqual(services.migrate.image, 'almanac/catalog');
    assert.equal(services.migrate.command.at(-1), `node_modules/@almanac/${programs.migrate.replace('libs/', '')}`);
    assert.deepEqual(services.bucket.image, 'almanac/export');
    assert.equal(services.bucket.command.at(-1), programs.bucket.replace('services/export/', ''));
  });
});
