import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type RpcClient, rpcClient } from '@almanac/bus';
import { DomainError, timeseriesRpc } from '@almanac/contracts';
import { eventually, seededRandom } from '@almanac/testing';
import { startHarness, type TimeseriesHarness } from '../testing/harness.js';
import { oneOf, pick } from '../testing/random.js';
import { countedSeconds } from './testing/counted-seconds.js';
import { type RecordedMarket, storeMarket } from './testing/recorded-markets.js';

const second = 1_000_000;
const hour = 3_600 * second;
const nowUs = Math.floor(Date.now() / 1_000) * second;

describe('the coverage of whole markets', () => {
  let tested: TimeseriesHarness;
  let catalog: RpcClient;
  const stored: RecordedMarket[] = [];
  before(async () => {
    tested = await startHarness();
    catalog = rpcClient(await tested.busOf('catalog'));
    const random = seededRandom(126);
    for (let at = 0; at < 24; at += 1) {
      const openUs = nowUs - pick(random, 30, 60) * hour;
      const closeUs = openUs + oneOf(random, [900 * second, hour, 26 * hour]);
      stored.push(await storeMarket(tested, random, { ticker: `M-${10 + at}`, openUs, closeUs, nowUs }));
    }
  });
  after(() => tested.stop());

  const coverageOf = async (tickers: readonly string[]) => {
    const input = { tickers: [...tickers] };
    const context = { requestId: 'test' };
    return (await catalog.call(timeseriesRpc.coverageOfMarkets, { input, context })).markets;
  };

  it('is that of each second between open and close, in the order of the tickers', async () => {
    const expected = stored.map((market) => {
      const { covered_s, expected_s } = countedSeconds(market, { startUs: market.openUs, endUs: market.closeUs });
      return covered_s === null || expected_s === null ? null : Math.round((covered_s / expected_s) * 1e6) / 1e6;
    });
    assert.ok(expected.includes(null) && expected.some((share) => share !== null && share < 1));
    await eventually(async () => {
      const found = await coverageOf(stored.map(({ ticker }) => ticker));
      assert.deepEqual(
        found.map(({ covered_share: share }) => share),
        expected,
      );
      for (const { covered_share: share, has_gaps } of found) if (share !== null && share < 1) assert.ok(has_gaps);
    });
    const [first, last] = [stored[0]?.ticker ?? '', stored.at(-1)?.ticker ?? ''];
    assert.deepEqual(await coverageOf([last, first]), [...(await coverageOf([last])), ...(await coverageOf([first]))]);
    assert.deepEqual(await coverageOf([]), []);
  });

  it('is refused for a market that does not exist', async () => {
    await assert.rejects(
      coverageOf(['M-10', 'NEVER']),
      (error) => error instanceof DomainError && error.code === 'market_not_found',
    );
  });
});
