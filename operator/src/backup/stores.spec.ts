import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UsageError } from '../error-message.js';
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
  it('are one server or a cluster', async () => {
    for (const cluster of [undefined, '', 'almanac']) {
      const stores = connectStores({ ...environment, CLICKHOUSE_CLUSTER: cluster });
      assert.equal(stores.clickhouse.cluster, cluster === '' ? undefined : cluster);
      await stores.close();
    }
  });

  it('are refused on ClickHouse Cloud, with another way to do it', () => {
    assert.throws(
      () => connectStores({ ...environment, CLICKHOUSE_CLUSTER: 'cloud' }),
      (error) =>
        error instanceof UsageError &&
        /^This command does not back up .* ClickHouse Cloud\. Use its own backups: docs\/deploy\.md/.test(
          error.message,
        ),
    );
  });
});
