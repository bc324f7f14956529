import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { Bus } from '@almanac/bus';
import { gapReasons, type recordedSpan, timeseriesRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import type { z } from 'zod';
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

type GivenSpan = Omit<z.input<typeof recordedSpan>, 'ticker' | 'layer'>;

describe('the coverage of a market', () => {
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
  const storeSpans = (ticker: string, spans: readonly GivenSpan[], layer: 'top' | 'l2' = 'l2') => {
    const input = { markets: [], spans: spans.map((span) => ({ ticker, layer, ...span })) };
    return callers.importer.call(timeseriesRpc.store, { input, context: { requestId: 'test' } });
  };
  const from = (start: number, end: number, end_reason: string | null = null): GivenSpan => ({
    start_us: openUs + start * second,
    end_us: openUs + end * second,
    end_reason,
  });
  const coverageOf = async (ticker: string) => {
    const { body } = await callers.preview(ticker);
    return body.pending ? null : body.coverage;
  };
  const at = (seconds: number): number => openUs / second + seconds;

  const gapsOf = async (ticker: string) =>
    (await coverageOf(ticker))?.gaps.map((gap) => [
      gap.start_ts - at(0),
      (gap.end_ts ?? NaN) - at(0),
      gap.reason,
      gap.missing,
    ]);
  const versionOf = async (ticker: string) => (await callers.preview(ticker)).meta?.version;

  it('has the times between its spans as gaps, and storing them again changes nothing', async () => {
    const ticker = await aMarket();
    const spans = [from(0, 20, 'lost'), from(22.75, 900)];
    for (let time = 0; time < 2; time += 1) {
      assert.deepEqual(await storeSpans(ticker, spans), { rows: 0 });
      await eventually(async () => {
        const coverage = await coverageOf(ticker);
        assert.deepEqual(coverage, {
          first_print_ts: at(10),
          last_print_ts: at(40),
          has_l2: true,
          prints: 4,
          covered_s: 897.25,
          covered_share: 0.996944,
          books_covered_s: 897.25,
          gaps: [{ start_ts: at(20), end_ts: at(22.75), reason: 'lost', missing: 'all' }],
          gaps_n: 1,
          gap_s: 2.75,
        });
      });
    }
  });

  it('has the times before and after its recording as gaps', async () => {
    const ticker = await aMarket();
    await eventually(async () =>
      assert.deepEqual(await gapsOf(ticker), [
        [0, 10, gapReasons.start, 'all'],
        [40, 900, gapReasons.end, 'all'],
      ]),
    );
    assert.equal((await coverageOf(ticker))?.covered_s, null);
    await storeSpans(ticker, [from(5, 600, 'the recording ended')]);
    await eventually(async () =>
      assert.deepEqual(await gapsOf(ticker), [
        [0, 5, gapReasons.start, 'all'],
        [600, 900, 'the recording ended', 'all'],
      ]),
    );
  });

  it('heals when the missing part is stored, in the ledger and in the data version', async () => {
    const ticker = await aMarket();
    await storeSpans(ticker, [from(0, 20, 'lost'), from(50, 900)]);
    await eventually(async () => assert.deepEqual(await gapsOf(ticker), [[20, 50, 'lost', 'all']]));
    const damagedVersion = await versionOf(ticker);
    // The span of the whole recording has the same start.
    await storeSpans(ticker, [from(0, 900)]);
    await eventually(async () => assert.deepEqual(await gapsOf(ticker), []));
    assert.notEqual(await versionOf(ticker), damagedVersion);
    const healedVersion = await versionOf(ticker);
    await storeSpans(ticker, [from(0, 20, 'lost')]);
    await eventually(async () => assert.notEqual(await versionOf(ticker), healedVersion));
    await eventually(async () => assert.deepEqual(await gapsOf(ticker), []));
  });

  it('tells a gap in the books from one in everything', async () => {
    const ticker = await aMarket();
    await storeSpans(ticker, [from(0, 900)], 'top');
    await storeSpans(ticker, [from(0, 300, 'lost'), from(600, 900)]);
    await eventually(async () => {
      const coverage = await coverageOf(ticker);
      assert.deepEqual(await gapsOf(ticker), [[300, 600, 'lost', 'books']]);
      assert.deepEqual([coverage?.covered_s, coverage?.books_covered_s], [900, 600]);
    });
  });

  it('refuses spans of an invalid ticker', async () => {
    await assert.rejects(storeSpans('x'.repeat(300), [from(0, 1)]), { code: 'invalid_input' });
  });
});
