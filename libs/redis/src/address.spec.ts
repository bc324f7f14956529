import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseRedisUrl } from './address.js';

describe('REDIS_URL', () => {
  it('names a server, the Sentinels of a server, or nodes of a cluster', () => {
    assert.deepEqual(parseRedisUrl('redis://cache:6379'), { kind: 'server', url: 'redis://cache:6379', tls: false });
    assert.deepEqual(parseRedisUrl('rediss://a:b@cache'), { kind: 'server', url: 'rediss://a:b@cache', tls: true });
    assert.deepEqual(parseRedisUrl('redis+sentinel://a:1,b/main'), {
      kind: 'sentinel',
      hosts: [
        { host: 'a', port: 1 },
        { host: 'b', port: 26_379 },
      ],
      tls: false,
      name: 'main',
    });
    assert.deepEqual(parseRedisUrl('rediss+cluster://user:p%40ss@[::1]:7,b.example.com'), {
      kind: 'cluster',
      hosts: [
        { host: '::1', port: 7 },
        { host: 'b.example.com', port: 6_379 },
      ],
      tls: true,
      username: 'user',
      password: 'p@ss',
    });
  });

  for (const text of [
    'cache:6379',
    'http://cache:6379',
    'redis://',
    'redis+sentinel://a:1,b:2',
    'redis+sentinel://a:1,,b:2/main',
    'redis+sentinel:///main',
    'redis+cluster://a:1/0',
    'redis+cluster://a:port',
  ]) {
    it(`is refused as ${text}`, () => assert.equal(parseRedisUrl(text), undefined));
  }
});
