import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { partitionOf, Reply, subjects } from '@almanac/bus';
import { timeseriesRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { startSystem, type TestSystem } from './testing/gateway.js';
import type { TestKey } from './testing/keys-stub.js';
import { nameOf } from './testing/service-stubs.js';

const partitions = 4;
const tickers = Array.from({ length: 12 }, (_, n) => `PARTITIONED-${n}`);

describe('cached responses over four partitions of EVT_ARCHIVE', () => {
  let system: TestSystem;
  let key: TestKey;
  const calls = new Map<string, number>();
  const versions = new Map<string, number>();
  before(async () => {
    system = await startSystem({ NATS_PARTITIONS: String(partitions), CACHE_FROM_ASK: '1' });
    key = system.edge.keys.createKey('internal');
    system.edge.handlers.set(nameOf(timeseriesRpc.snapshots), (input) => {
      const { ticker } = timeseriesRpc.preview.input.parse(input);
      calls.set(ticker, (calls.get(ticker) ?? 0) + 1);
      return Reply.json({ ticker }, { ticker, version: versions.get(ticker) ?? 1 });
    });
  });
  after(() => system.stop());

  const read = async (ticker: string): Promise<void> => {
    const response = await system.request(`/markets/${ticker}/snapshots`, key);
    assert.equal(response.status, 200, await response.text());
  };
  const isCached = async (ticker: string): Promise<boolean> => {
    const earlier = calls.get(ticker) ?? 0;
    for (let n = 0; n < 2; n += 1) await read(ticker);
    return (calls.get(ticker) ?? 0) - earlier < 2;
  };

  it('are invalidated by a change in every partition', async () => {
    const used = new Set(tickers.map((ticker) => partitionOf({ partitions }, 'EVT_ARCHIVE', subjects.archive(ticker))));
    assert.equal(used.size, partitions);
    for (const ticker of tickers) {
      await eventually(async () => assert.ok(await isCached(ticker)));
      const earlier = calls.get(ticker) ?? 0;
      versions.set(ticker, 2);
      await system.edge.append(subjects.archive(ticker), { ticker, version: 2, min_us: null, max_us: null });
      await eventually(async () => {
        await read(ticker);
        assert.ok((calls.get(ticker) ?? 0) > earlier);
      });
    }
  });

  it('are not used while one partition arrives late', async () => {
    const [ticker = ''] = tickers;
    for (let late = 0; late < partitions; late += 1) {
      system.edge.keys.reportPositions({ commerce: 0, archive: [0, 0, 0, 0] });
      await eventually(async () => assert.ok(await isCached(ticker)));
      // Stands in for a consumer that stalls: the leader of a partition has a message that this gateway does not get.
      system.edge.keys.reportPositions({ commerce: 0, archive: [0, 0, 0, 0].with(late, 1_000_000) });
      await eventually(async () => assert.ok(!(await isCached(ticker))));
    }
  });
});
