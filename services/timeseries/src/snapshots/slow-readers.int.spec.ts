import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { bytesOf, type RpcReply } from '@almanac/bus';
import type { ReplyHead } from '@almanac/contracts';
import { command, rows } from '@almanac/clickhouse';
import { DomainError, timeseriesRpc } from '@almanac/contracts';
import { accountSlots, backgroundCaller, type HeldSlots } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import { bulkSnapshots } from '../rows/bulk-snapshots.js';
import { partSlots } from '../rows/part-slots.js';
import { rowStreams } from '../rows/stream-rows.js';
import { startHarness, type TimeseriesHarness } from '../testing/harness.js';

const second = 1_000_000;
const openUs = 1_771_992_900 * second;
const rowsN = 200_000;
/** More than the way to a slow reader holds, so that its first query cannot end by itself. */
const replacedRowsN = 1_500_000;
/** As by default. */
const slots = 4;
const accounts = Array.from({ length: 5 }, (_, at) => `slow-${at}`);

describe('slow readers of bulk reads', () => {
  let tested: TimeseriesHarness;
  before(async () => {
    tested = await startHarness({ changes: { STREAMS_CONCURRENT: slots } });
    for (const ticker of ['LONG', 'APPENDED']) await longMarket(ticker, rowsN);
    await longMarket('REPLACED', replacedRowsN);
  });
  after(() => tested.stop());

  /** A row a second, in ClickHouse only except for the first and last. Each insert makes a part of the table. */
  const longMarket = async (ticker: string, count: number, each = count): Promise<void> => {
    const { fixture, callers } = tested;
    const times = { open_us: openUs, close_us: openUs + count * second };
    await fixture.market({ ticker, series: 'S', event_ticker: 'E', ...times });
    const ends = [0, count - 1].map((seq) => ({ us: openUs + seq * second, seq, bid: '0.5' }));
    await callers.store(ticker, ends);
    for (let from = 0; from < count; from += each) {
      const sql = `INSERT INTO snapshots (ticker, series, ts, seq, yes_best_bid)
        SELECT {ticker:String}, 'S', fromUnixTimestamp64Micro(toInt64(${openUs} + number * ${second}), 'UTC'), number, 0.5
        FROM numbers(${from}, ${each})`;
      await command(fixture.operator, { sql, params: { ticker } });
    }
  };
  const read = (account: string, ticker: string, input: object = {}): Promise<RpcReply> =>
    tested.callers.rpc.forward(timeseriesRpc.snapshots, {
      input: { ticker, step_ms: 0, format: 'csv', ...input, whole: true },
      context: { requestId: 'test', account, plan: 'full_book' },
    });
  /** A reader that takes the first chunk and then waits, as a gateway does for a client that reads nothing. */
  const slowly = async (reading: Promise<RpcReply>) => {
    const reply = await reading;
    const rest = reply.rest?.[Symbol.asyncIterator]() ?? assert.fail('a stream has a rest');
    const taken = [reply.first, (await rest.next()).value ?? assert.fail('a stream has a chunk')];
    return {
      reply,
      finish: async (): Promise<Buffer> => {
        for (let next = await rest.next(); next.done !== true; next = await rest.next()) taken.push(next.value);
        return Buffer.concat(taken);
      },
    };
  };
  type SlowRead = Awaited<ReturnType<typeof slowly>>;
  const running = async (): Promise<number> => {
    const sql = `SELECT toUInt32(count()) AS n FROM system.processes WHERE query LIKE '%FROM snapshots FINAL%' AND query NOT LIKE '%system.processes%'`;
    const [found] = await rows(tested.fixture.operator, { sql }, z.object({ n: z.int() }));
    return found?.n ?? 0;
  };
  /** By all queries since the start of the server. */
  const rowsRead = async (): Promise<number> => {
    const sql = `SELECT toFloat64(value) AS n FROM system.events WHERE event = 'SelectedRows'`;
    const [found] = await rows(tested.fixture.operator, { sql }, z.object({ n: z.number() }));
    return found?.n ?? 0;
  };
  const assertWhole = (bytes: Buffer, trailer: ReplyHead | undefined, count = rowsN): void => {
    const seqs = [...bytes.toString().matchAll(/"E","S",[\d.]+,,(\d+),/g)].map(([, seq]) => Number(seq));
    assert.deepEqual([seqs.length, new Set(seqs).size, seqs[0], seqs.at(-1)], [count, count, 0, count - 1]);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    assert.deepEqual(trailer, { complete: true, count, sha256 });
  };
  const isUnavailable = (error: unknown): boolean => error instanceof DomainError && error.code === 'unavailable';

  it('of ten streams hold no query, others read meanwhile, and each of them gets all rows', async () => {
    const slow: SlowRead[] = [];
    for (const account of [...accounts, ...accounts]) slow.push(await slowly(read(account, 'LONG')));
    await eventually(async () => assert.equal(await running(), 0));
    const other = await read('other', 'LONG');
    const whole = await bytesOf(other);
    const trailer = other.trailer?.();
    assertWhole(whole, trailer);
    // Taking ten answers apart keeps this process so busy that the last of them may be given up.
    const getsAll = async ({ reply, finish }: SlowRead): Promise<void> => {
      assert.ok((await finish()).equals(whole));
      assert.deepEqual(reply.trailer?.(), trailer);
    };
    await Promise.all(slow.map(getsAll));
  });

  /** While no place is free for Parquet and Arrow. */
  const openWithoutPlace = (readSlots: HeldSlots) => {
    const held = { hasPlace: false, enter: () => Promise.reject(new DomainError('unavailable', 'No place.')) };
    const { operator: clickhouse } = tested.fixture;
    const streams = rowStreams({ clickhouse, slots: readSlots, streamSlots: partSlots(1), held });
    return (form: 'parquet' | 'arrow', count: number) => {
      const window = { startUs: openUs, endUs: openUs + count * second };
      const market = { ticker: 'REPLACED', eventTicker: 'E', series: 'S' };
      const request = {
        ...market,
        window,
        form,
        stepMs: 0,
        withBook: false,
        withSizes: false,
        numbers: 'decimal',
      } as const;
      return streams.open(bulkSnapshots(request, {}), backgroundCaller(60_000));
    };
  };

  it('of a form that gets no place are refused before its rows are read, unless it is short', async () => {
    const open = openWithoutPlace(accountSlots({ atOnce: slots }));
    const readBefore = await rowsRead();
    for (const form of ['parquet', 'arrow'] as const) await assert.rejects(open(form, replacedRowsN), isUnavailable);
    assert.ok((await rowsRead()) - readBefore < replacedRowsN / 2, 'only a part of the rows is counted');
    // A busy machine may need longer than such a read has to show that it is short.
    const short = await eventually(() => open('parquet', 1_000));
    assert.ok('bytes' in short && short.trailer['count'] === 1_000);
  });

  it('of a form that gets no place are refused although every slot is taken', async () => {
    const allSlots = accountSlots({ atOnce: 1 });
    const release = await allSlots.acquire(backgroundCaller(60_000));
    const open = openWithoutPlace(allSlots);
    const beganAt = performance.now();
    for (const form of ['parquet', 'arrow'] as const) await assert.rejects(open(form, replacedRowsN), isUnavailable);
    assert.ok(performance.now() - beganAt < 30_000, 'nobody waits for a slot');
    assert.equal(allSlots.waiting, 0);
    release();
    // A busy machine may need longer than such a read has to show that it is short.
    const short = await eventually(() => open('parquet', 1_000));
    assert.ok('bytes' in short && short.trailer['count'] === 1_000);
  });

  it('read few more rows than they send, also of a market in many parts of the table', async () => {
    await command(tested.fixture.operator, { sql: 'SYSTEM STOP MERGES snapshots' });
    await longMarket('PARTS', 600_000, 60_000);
    const { operator: clickhouse } = tested.fixture;
    const held = { hasPlace: true, enter: () => Promise.reject(new Error('text needs no place')) };
    const readSlots = accountSlots({ atOnce: slots });
    const streams = rowStreams({ clickhouse, slots: readSlots, streamSlots: partSlots(slots), held });
    const market = { ticker: 'PARTS', eventTicker: 'E', series: 'S', form: 'csv', numbers: 'decimal' } as const;
    const window = { startUs: openUs, endUs: openUs + 600_000 * second };
    const request = bulkSnapshots({ ...market, window, stepMs: 0, withBook: false, withSizes: false }, {});
    const opened = await streams.open(request, backgroundCaller(60_000));
    if ('bytes' in opened) assert.fail('a long answer streams');
    const { rest, abandon } = opened;
    /** The rows of a chunk. Nothing is taken after it for longer than the service waits. */
    const takeOne = async (): Promise<number> => {
      const { value } = await rest.next();
      const takenAt = performance.now();
      await eventually(() => Promise.resolve(assert.ok(performance.now() - takenAt > 400)));
      if (!(value instanceof Uint8Array)) assert.fail('a stream has a chunk');
      return value.filter((byte) => byte === 10).length;
    };
    // The first part after a pause does not know how far rows are from each other.
    for (let first = 0; first < 3; first += 1) await takeOne();
    const readBefore = await rowsRead();
    let sent = 0;
    for (let part = 0; part < 4; part += 1) sent += await takeOne();
    const readN = (await rowsRead()) - readBefore;
    abandon();
    await command(tested.fixture.operator, { sql: 'SYSTEM START MERGES snapshots' });
    assert.ok(readN < 4 * sent, `${readN} rows for ${sent}`);
  });

  it('at a step get the last row of each step, in parts as in one piece', async () => {
    const steps = { step_ms: 2_000, format: 'ndjson' };
    const slow = await slowly(read('slow', 'LONG', steps));
    await eventually(async () => assert.equal(await running(), 0));
    const other = await bytesOf(await read('other', 'LONG', steps));
    assert.ok(other.length > 1_000_000);
    assert.ok((await slow.finish()).equals(other));
  });

  it('get all rows if later ones were stored meanwhile', async () => {
    const slow = await slowly(read('slow', 'APPENDED'));
    await eventually(async () => assert.equal(await running(), 0));
    await tested.callers.store('APPENDED', [{ us: openUs + (rowsN + 5) * second, seq: rowsN, bid: '0.5' }]);
    assertWhole(await slow.finish(), slow.reply.trailer?.());
  });

  it('see that the answer is incomplete if rows were replaced meanwhile', async () => {
    const slow = await slowly(read('slow', 'REPLACED'));
    await eventually(async () => assert.equal(await running(), 0));
    await tested.callers.store('REPLACED', [{ us: openUs, seq: 0, bid: '0.7' }]);
    await assert.rejects(slow.finish(), (error) => isUnavailable(error) && /changed/.test(String(error)));
  });
});
