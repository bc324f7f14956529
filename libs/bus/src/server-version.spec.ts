import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkServerVersion } from './server-version.js';

describe('a nats-server', () => {
  const old = ['2.9.10', '2.11.4', '1.9.9', ''];

  it('that would sell a thing twice is refused for several replicas', () => {
    for (const version of old) {
      assert.match(checkServerVersion({ version, cluster: 'almanac' }, 3).error ?? '', /2\.12 or later/);
      assert.match(checkServerVersion({ version }, 3).error ?? '', /2\.12 or later/);
    }
    assert.match(checkServerVersion(undefined, 3).error ?? '', /2\.12 or later/);
  });

  it('of 2.12 or later is well, alone and in a cluster', () => {
    for (const version of ['2.12.0', '2.14.1', '3.0.0-beta']) {
      assert.deepEqual(checkServerVersion({ version, cluster: 'almanac' }, 3), { error: null, warning: null });
      assert.deepEqual(checkServerVersion({ version }, 1), { error: null, warning: null });
    }
  });

  it('that is older is doubtful for one copy of each stream, and names its cluster', () => {
    for (const version of old) {
      const inCluster = checkServerVersion({ version, cluster: 'almanac' }, 1);
      assert.equal(inCluster.error, null);
      assert.match(inCluster.warning ?? '', /in the cluster almanac/);
      assert.match(checkServerVersion({ version }, 1).warning ?? '', /for more than one server/);
    }
  });
});
