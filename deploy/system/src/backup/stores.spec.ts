import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UsageError } from '../commands/command.js';
import { connectStores } from './stores.js';

const environment = {
  CLICKHOUSE_URL: 'http://127.0.0.1:1',
  CLICKHOUSE_USER: 'migrate',
  S3_ENDPOINT: 'http://127.0.0.1:1',
  S3_BUCKET: 'almanac',
  S3_ACCESS_KEY_ID: 'a',
  S3_SECRET_ACCESS_KEY: 'b',
};

describe('the stores of a backup and a restore', () => {
  it('are one server, also if CLICKHOUSE_CLUSTER is empty', async () => {
    await connectStores(environment).close();
    await connectStores({ ...environment, CLICKHOUSE_CLUSTER: '' }).close();
  });

  for (const [cluster, way] of [
    ['almanac', /^This command does not back up .* Use BACKUP … ON CLUSTER 'almanac' of ClickHouse: docs\/deploy\.md/],
    ['cloud', /^This command does not back up .* ClickHouse Cloud\. Use its own backups: docs\/deploy\.md/],
  ] as const) {
    it(`are refused if CLICKHOUSE_CLUSTER is ${cluster}, with another way to do it`, () => {
      assert.throws(
        () => connectStores({ ...environment, CLICKHOUSE_CLUSTER: cluster }),
        (error) => error instanceof UsageError && way.test(error.message),
      );
    });
  }
});
