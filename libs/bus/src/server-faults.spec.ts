import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { serverFaults } from './server-faults.js';

describe('a nats-server', () => {
  const old = ['2.9.10', '2.11.4', '1.9.9', ''];

  it('that would sell a thing twice is refused for several replicas', () => {
    for (const version of old) {
      assert.match(serverFaults({ version, cluster: 'almanac' }, 3).refused ?? '', /2\.12 or later/);
      assert.match(serverFaults({ version }, 3).refused ?? '', /2\.12 or later/);
    }
    assert.match(serverFaults(undefined, 3).refused ?? '', /2\.12 or later/);
  });

  it('of 2.12 or later is well, alone and in a cluster', () => {
    for (const version of ['2.12.0', '2.14.1', '3.0.0-beta']) {
      assert.deepEqual(serverFaults({ version, cluster: 'almanac' }, 3), { refused: null, doubtful: null });
      assert.deepEqual(serverFaults({ version }, 1), { refused: null, doubtful: null });
    }
  });

  it('that is older is doubtful for one copy of each stream, and names its cluster', () => {
    for (const version of old) {
      const inCluster = serverFaults({ version, cluster: 'almanac' }, 1);
      assert.equal(inCluster.refused, null);
      assert.match(inCluster.doubtful ?? '', /in the cluster almanac/);
      assert.match(serverFaults({ version }, 1).doubtful ?? '', /for more than one server/);
    }
  });
});
