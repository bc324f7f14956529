import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { acknowledgedUpTo, durables, streamState } from '@almanac/bus';
import { eventually, testS3, type TestS3 } from '@almanac/testing';
import { unixMicros } from '@almanac/runtime';
import { type Callers, type RunningService, startService, type TimeseriesFixture } from '../testing/fixture.js';
import { startHarness, type TimeseriesHarness } from '../testing/harness.js';

const second = 1_000_000;
const hour = 3_600 * second;
const nowUs = (): number => unixMicros();
const longTimeout = { timeoutMs: 60_000 };

describe('the prepared preview', () => {
  let tested: TimeseriesHarness;
  let fixture: TimeseriesFixture;
  let s3: TestS3;
  let services: RunningService[];
  let callers: Callers;

  before(async () => {
    s3 = await testS3();
    tested = await startHarness({ processes: 2, changes: changes() });
    ({ fixture, services, callers } = tested);
  });
  after(async () => {
    await tested.stop();
    await s3.stop();
  });

  const changes = () => ({
    PREVIEW_MAX_AGE_S: 60,
    S3_ENDPOINT: s3.url,
    S3_BUCKET: s3.bucket,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
  });
  const start = (): Promise<RunningService> => startService(fixture, changes());
  const prepared = async (): Promise<number> => {
    const counts = await Promise.all(services.map((service) => service.prepared()));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  const samplesOf = async (name: string) => {
    const found = await Promise.all(
      services.map(async ({ runtime }) => runtime.health.metrics.getSingleMetric(name)?.get()),
    );
    return found.flatMap((metric) => metric?.values ?? []);
  };
  /** Of all processes. */
  const sumOf = async (name: string): Promise<number> =>
    (await samplesOf(name)).reduce((sum, { value }) => sum + value, 0);
  /** A process that gets no answer of the store in time makes its own slab. */
  const unansweredFetches = async (): Promise<number> =>
    (await samplesOf('almanac_slab_fetches_total'))
      .filter(({ labels }) => labels['answer'] === 'failed' || labels['answer'] === 'skipped')
      .reduce((sum, { value }) => sum + value, 0);
  const newMarket = async (openUs: number, closeUs: number): Promise<string> => {
    const ticker = `KX-${randomUUID()}`;
    await fixture.market({ ticker, open_us: openUs, close_us: closeUs });
    return ticker;
  };
  const observed = (ticker: string, us: number, rows: number): Promise<void> =>
    callers.store(
      ticker,
      Array.from({ length: rows }, (_, index) => ({ us: us + index, bid: '0.4', ask: '0.6' })),
    );
  const preparedAhead = async (earlier: number, tickers: readonly string[]): Promise<void> => {
    await eventually(async () => assert.ok((await prepared()) >= earlier + tickers.length), longTimeout);
    for (const ticker of tickers) {
      // The last change may have arrived just now, and its preview comes next.
      await eventually(async () => {
        const { body } = await callers.preview(ticker);
        assert.deepEqual([body.pending, body.cached, (body.coverage?.prints ?? 0) > 0], [false, true, true]);
      }, longTimeout);
    }
  };

  it('of a market that closes is ready before a request', async () => {
    const earlier = await prepared();
    const closing = await newMarket(nowUs() - hour, nowUs() + 2 * second);
    await observed(closing, nowUs() - 10 * second, 5);
    const closed = await newMarket(nowUs() - 2 * hour, nowUs() - hour);
    await observed(closed, nowUs() - 2 * hour, 5);
    await preparedAhead(earlier, [closing, closed]);
    await eventually(
      async () => assert.ok((await sumOf('almanac_slab_uploads_total')) >= 2, 'the rows of both are stored as slabs'),
      longTimeout,
    );
  });

  it('comes with a slab, which one process makes and all processes read', async () => {
    const [made, stored] = [await sumOf('almanac_slabs_made_total'), await sumOf('almanac_slab_uploads_total')];
    const slabs = await sumOf('almanac_slabs');
    const openUs = nowUs() - 2 * hour;
    const ticker = await newMarket(openUs, nowUs() - hour);
    await observed(ticker, openUs, 50);
    await eventually(async () => assert.equal(await sumOf('almanac_slab_uploads_total'), stored + 1), longTimeout);
    const unanswered = await unansweredFetches();
    const window = { ticker, end_ts: openUs / second + 60, step_ms: 0 };
    for (let read = 1; read <= 30; read += 1) {
      const { body } = await callers.snapshots({ ...window, start_ts: openUs / second - read });
      assert.equal(body.snapshots.length, 50);
    }
    await eventually(async () => assert.equal(await sumOf('almanac_slabs'), slabs + 2, 'both processes have it'));
    const madeMax = (await unansweredFetches()) > unanswered ? 2 : 1;
    const madeNow = (await sumOf('almanac_slabs_made_total')) - made;
    assert.ok(madeNow >= 1 && madeNow <= madeMax, `${madeNow} were made`);
  });

  it('of a market that settles while no process runs is prepared when one starts', async () => {
    const ticker = await newMarket(nowUs() - 2 * hour, nowUs() - hour);
    await observed(ticker, nowUs() - 2 * hour, 5);
    await eventually(async () => assert.equal((await callers.preview(ticker)).body.coverage?.prints, 5), longTimeout);
    await Promise.all(services.splice(0).map((service) => service.stop()));
    await fixture.market({ ticker, open_us: nowUs() - 2 * hour, close_us: nowUs() - hour, result: 'yes' });
    services.push(await start(), await start());
    await preparedAhead(0, [ticker]);
  });

  it('of a live market stays available while its data changes, and is right in the end', async () => {
    // One process only: another would have to read it from Redis, which may be slow for a moment.
    await Promise.all(services.splice(1).map((service) => service.stop()));
    const ticker = await newMarket(nowUs() - hour, nowUs() + 2 * hour);
    let stored = 5;
    await observed(ticker, nowUs() - 10 * second, stored);
    await eventually(async () => assert.equal((await callers.preview(ticker)).body.pending, false), longTimeout);
    for (let batch = 0; batch < 12; batch += 1) {
      await observed(ticker, nowUs(), 3);
      stored += 3;
      const { body, meta } = await callers.preview(ticker);
      assert.deepEqual([body.pending, body.cached], [false, true]);
      assert.ok(body.cache_source === 'redis' || body.cache_source === 'memory');
      const { prints } = body.coverage ?? assert.fail('no coverage');
      assert.ok(prints <= stored);
      // The first version is the catalogue's. A preview that lags behind must not be cached by a gateway or client.
      const known = 5 + ((meta.version ?? 0) - 2) * 3;
      if (prints < known) assert.equal(meta.cacheable, false);
    }
    await eventually(async () => {
      const { body, meta } = await callers.preview(ticker);
      assert.deepEqual([body.coverage?.prints, meta.cacheable], [stored, true]);
    }, longTimeout);
  });

  it('of a closed market never comes from before its data changed', async () => {
    const ticker = await newMarket(nowUs() - 2 * hour, nowUs() - hour);
    for (let rows = 5; rows <= 25; rows += 5) {
      await observed(ticker, nowUs() - 2 * hour + rows, 5);
      await eventually(async () => {
        const { body, meta } = await callers.preview(ticker);
        // The change is known a moment after it was stored. A served preview contains all rows of its version.
        if (body.coverage !== null) assert.ok(body.coverage.prints >= ((meta.version ?? 0) - 1) * 5);
        assert.equal(body.coverage?.prints, rows);
      }, longTimeout);
    }
  });

  it('of a market with old data only is not made ahead, but its slab is', async () => {
    const made = await sumOf('almanac_slabs_made_total');
    const oldUs = nowUs() - 100 * 24 * hour;
    const ticker = await newMarket(oldUs, oldUs + hour);
    await observed(ticker, oldUs, 5);
    const bus = await tested.busOf('timeseries');
    const { last_seq: last } = await streamState(bus, 'EVT_ARCHIVE');
    await eventually(
      async () => assert.ok((await acknowledgedUpTo(bus, 'EVT_ARCHIVE', durables.timeseriesSettled)) >= last),
      longTimeout,
    );
    await eventually(async () => assert.ok((await sumOf('almanac_slabs_made_total')) > made), longTimeout);
    assert.equal((await callers.preview(ticker)).body.pending, true);
  });
});
