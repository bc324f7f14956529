// Measures memory over hundreds of visits, which takes minutes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { marketsResponse } from '@almanac/contracts';
import { storeGeneratedArchive } from '@almanac/operator';
import { apiClient } from '@almanac/test-e2e';
import { settled, useConsole } from './console.js';
import { openMarketMs } from './measure.js';

const visits = 200;
const mb = 1024 * 1024;

describe('the memory of the console', () => {
  const shared = useConsole();

  it('does not grow by 200 visits of markets', async () => {
    const harness = shared();
    await storeGeneratedArchive(harness.running.system, Math.floor(Date.now() / 1_000));
    const key = await harness.running.key('internal');
    const list = '/markets?series=GENBTC15M&status=finalized&limit=20';
    const { markets } = await apiClient(harness.base, key).json(marketsResponse, list);
    assert.equal(markets.length, 20);
    const { page, open, context, faults } = await harness.signedIn(key);
    await open('/markets');
    await settled(page);
    const debug = await context.newCDPSession(page);
    /** What is in use after everything unused is collected. */
    const used = async () => {
      await settled(page);
      await debug.send('HeapProfiler.collectGarbage');
      const { usedSize } = await debug.send('Runtime.getHeapUsage');
      const { nodes, jsEventListeners } = await debug.send('Memory.getDOMCounters');
      return { heap: usedSize, nodes, listeners: jsEventListeners };
    };
    const visit = async (from: number, count: number): Promise<void> => {
      for (let at = from; at < from + count; at += 1)
        await openMarketMs(page, markets[at % markets.length]?.ticker ?? '');
    };
    // Answers of a market are forgotten a minute after its last visit, so each market is in memory before it begins.
    await visit(0, 2 * markets.length);
    const start = await used();
    await visit(0, visits);
    const end = await used();
    const report = JSON.stringify({ start, end });
    // One chart with its points has 0.3 MB and 700 nodes.
    assert.ok(end.heap - start.heap < 10 * mb, report);
    assert.ok(end.nodes - start.nodes < 5_000, report);
    assert.ok(end.listeners - start.listeners < 1_000, report);
    assert.deepEqual(faults, []);
  });
});
