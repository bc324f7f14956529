import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkServerVersion } from './server-version.js';

describe('checkServerVersion', () => {
  const old = ['2.9.10', '2.11.4', '1.9.9', ''];

  it('refuses an older or unknown version when streams have several replicas', () => {
    for (const version of old) {
      assert.match(checkServerVersion({ version, cluster: 'almanac' }, 3).error ?? '', /2\.12 or later/);
      assert.match(checkServerVersion({ version }, 3).error ?? '', /2\.12 or later/);
    }
    assert.match(checkServerVersion(undefined, 3).error ?? '', /2\.12 or later/);
  });

  it('accepts 2.12 or later, alone and in a cluster', () => {
    for (const version of ['2.12.0', '2.14.1', '3.0.0-beta']) {
      assert.deepEqual(checkServerVersion({ version, cluster: 'almanac' }, 3), { error: null, warning: null });
      assert.deepEqual(checkServerVersion({ version }, 1), { error: null, warning: null });
    }
  });

  it('warns about an older version with one replica of each stream, and names its cluster', () => {
    for (const version of old) {
      const inCluster = checkServerVersion({ version, cluster: 'almanac' }, 1);
      assert.equal(inCluster.error, null);
      assert.match(inCluster.warning ?? '', /in the cluster almanac/);
      assert.match(checkServerVersion({ version }, 1).warning ?? '', /for more than one server/);
    }
  });
});
