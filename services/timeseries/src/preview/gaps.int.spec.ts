import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { Bus } from '@almanac/bus';
import { timeseriesRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import {
  callersOf,
  type Callers,
  type RunningService,
  startService,
  startFixture,
  type TimeseriesFixture,
} from '../testing/fixture.js';

const second = 1_000_000;
const openUs = 1_771_992_900 * second;
const book = { yes: '[(0.5,10)]', no: '[(0.48,5)]' };

interface GivenGap {
  readonly start_us: number;
  readonly end_us: number | null;
  readonly reason: string;
}

describe('the gaps of a market', () => {
  let fixture: TimeseriesFixture;
  let service: RunningService;
  let buses: Bus[];
  let callers: Callers;

  before(async () => {
    fixture = await startFixture();
    service = await startService(fixture);
    buses = await Promise.all([fixture.busOf('gateway'), fixture.busOf('ingest')]);
    const [gateway, ingest] = buses;
    if (gateway === undefined || ingest === undefined) throw new Error('two connections were made');
    callers = callersOf(gateway, ingest);
  });
  after(async () => {
    await service?.stop();
    await Promise.all(buses.map((bus) => bus.close()));
    await fixture?.stop();
  });

  const aMarket = async (): Promise<string> => {
    const ticker = `GAPS-${randomUUID()}`;
    await fixture.market({ ticker, open_us: openUs, close_us: openUs + 900 * second });
    await callers.store(
      ticker,
      [10, 20, 30, 40].map((at) => ({ us: openUs + at * second, bid: '0.5', ask: '0.52', book })),
    );
    return ticker;
  };
  const storeGaps = (ticker: string, gaps: readonly GivenGap[]) => {
    const input = { markets: [], gaps: gaps.map((gap) => ({ ticker, ...gap })) };
    return callers.importer.call(timeseriesRpc.store, { input, context: { requestId: 'test' } });
  };
  const coverageOf = async (ticker: string) => {
    const { body } = await callers.preview(ticker);
    return body.pending ? null : body.coverage;
  };
  const at = (seconds: number): number => openUs / second + seconds;

  it('are in the coverage of its preview, and storing them again changes nothing', async () => {
    const ticker = await aMarket();
    await eventually(async () => assert.deepEqual((await coverageOf(ticker))?.gaps, []));
    const gap = { start_us: openUs + 20 * second, end_us: openUs + 22 * second + 750_000, reason: 'lost' };
    for (let time = 0; time < 2; time += 1) {
      assert.deepEqual(await storeGaps(ticker, [gap]), { rows: 0 });
      await eventually(async () => {
        const coverage = await coverageOf(ticker);
        assert.deepEqual(coverage?.gaps, [{ start_ts: at(20), end_ts: at(22.75), reason: 'lost' }]);
        assert.deepEqual([coverage?.gap_s, coverage?.gaps_n, coverage?.prints], [2.75, 1, 4]);
      });
    }
  });

  it('last until their stated end, else until the next book, else until the end of the window', async () => {
    const ticker = await aMarket();
    const from = (seconds: number) => ({ start_us: openUs + seconds * second, reason: 'lost' });
    await storeGaps(ticker, [
      { ...from(10), end_us: null },
      { ...from(20), end_us: null },
      { ...from(40), end_us: null },
    ]);
    await storeGaps(ticker, [{ ...from(10), end_us: openUs + 15 * second }]);
    await eventually(async () => {
      const coverage = await coverageOf(ticker);
      assert.deepEqual(
        coverage?.gaps.map(({ start_ts, end_ts }) => [start_ts, end_ts]),
        [
          [at(10), at(15)],
          [at(20), at(30)],
          [at(40), null],
        ],
      );
      assert.ok(Math.abs((coverage?.gap_s ?? 0) - (5 + 10 + 860)) < 0.001, String(coverage?.gap_s));
    });
  });

  it('of a market with an invalid ticker are refused', async () => {
    await assert.rejects(storeGaps('x'.repeat(300), [{ start_us: 1, end_us: null, reason: 'lost' }]), {
      code: 'invalid_input',
    });
  });
});
