import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseConfig } from '@almanac/runtime';
import { config, objectStoreOf } from './config.js';

const needed = {
  NATS_URL: 'nats://127.0.0.1:4222',
  NATS_USER: 'timeseries',
  NATS_PASSWORD: 'p',
  CLICKHOUSE_URL: 'http://127.0.0.1:8123',
  CLICKHOUSE_USER: 'timeseries',
  REDIS_URL: 'redis://127.0.0.1:6379',
};
const place = { S3_ENDPOINT: 'http://127.0.0.1:7070', S3_BUCKET: 'almanac' };

describe('the configuration of the object store of slabs', () => {
  it('is optional, and off without a key', () => {
    assert.equal(objectStoreOf(parseConfig(config, needed)), undefined);
    assert.equal(objectStoreOf(parseConfig(config, { ...needed, ...place })), undefined);
  });

  it('is complete with a key', () => {
    const key = { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' };
    const { S3_ENDPOINT, S3_BUCKET, S3_REGION } =
      objectStoreOf(parseConfig(config, { ...needed, ...place, ...key })) ?? {};
    assert.deepEqual({ S3_ENDPOINT, S3_BUCKET, S3_REGION }, { ...place, S3_REGION: 'us-east-1' });
    assert.throws(
      () => parseConfig(config, { ...needed, S3_ACCESS_KEY_ID: 'id' }),
      /S3_ENDPOINT[^]*S3_BUCKET[^]*S3_SECRET_ACCESS_KEY/,
    );
  });
});
