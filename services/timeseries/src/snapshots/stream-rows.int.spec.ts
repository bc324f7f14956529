import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Bus, bytesOf } from '@almanac/bus';
import { command } from '@almanac/clickhouse';
import { DomainError, timeseriesRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { z } from 'zod';
import {
  callersOf,
  type Callers,
  type RunningService,
  startFixture,
  startService,
  type TimeseriesFixture,
} from '../testing/fixture.js';

const second = 1_000_000;
const openUs = 1_771_992_900 * second;
const forms = ['csv', 'ndjson', 'parquet'] as const;
type Input = z.input<typeof timeseriesRpc.snapshots.input>;

describe('the rows of a whole window', () => {
  let fixture: TimeseriesFixture;
  let service: RunningService;
  let buses: Bus[];
  let callers: Callers;
  before(async () => {
    fixture = await startFixture();
    service = await startService(fixture, { STREAMS_AT_ONCE: 3 });
    buses = await Promise.all([fixture.busOf('gateway'), fixture.busOf('ingest')]);
    const [gateway, ingest] = buses;
    if (gateway === undefined || ingest === undefined) throw new Error('two connections were made');
    callers = callersOf(gateway, ingest);
  });
  after(async () => {
    await service.stop();
    await Promise.all(buses.map((bus) => bus.close()));
    await fixture.stop();
  });

  const market = async (): Promise<string> => {
    const ticker = `KX "${randomUUID()}", é`;
    await fixture.market({ ticker, series: 'S', event_ticker: 'E', open_us: openUs, close_us: openUs + 900 * second });
    return ticker;
  };
  const request = (input: Omit<Input, 'whole'>, account = 'a1') =>
    callers.rpc.forward(timeseriesRpc.snapshots, {
      input: { step_ms: 0, ...input, whole: true },
      context: { requestId: 'test', account, plan: 'full_book' },
    });
  const seqsIn = async (format: (typeof forms)[number], bytes: Buffer): Promise<number[]> => {
    if (format === 'parquet') {
      const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer, compressors, columns: ['seq'] });
      return rows.map((row) => Number(row['seq']));
    }
    if (format === 'csv')
      return [...bytes.toString().matchAll(/"E","S",[\d.]+,,(\d+),/g)].map(([, seq]) => Number(seq));
    const lines = bytes.toString().split('\n').slice(0, -1);
    return lines.map((line) => z.object({ seq: z.int() }).parse(JSON.parse(line)).seq);
  };
  /** A row a second, in ClickHouse only except for the first and last. */
  const longMarket = async (rowsN: number): Promise<string> => {
    const ticker = await market();
    const ends = [0, rowsN - 1].map((seq) => ({ us: openUs + seq * second, seq, bid: '0.5' }));
    await callers.store(ticker, ends);
    const sql = `INSERT INTO snapshots (ticker, series, ts, seq, yes_best_bid, has_book, orderbook_yes)
      SELECT {ticker:String}, 'S', fromUnixTimestamp64Micro(toInt64(${openUs} + number * ${second}), 'UTC'), number, 0.5,
        true, [(toDecimal32(0.5, 6), toDecimal64(number, 6))] FROM numbers(${rowsN})`;
    await command(fixture.operator, { sql, params: { ticker } });
    return ticker;
  };

  it('are those of the pages, in every form and at any step, with books and without', async () => {
    const ticker = await longMarket(60_000);
    for (const format of forms) {
      for (const [step_ms, include_book] of [
        [0, false],
        [7_000, true],
        [60_000, false],
      ] as const) {
        const reply = await request({ ticker, format, step_ms, include_book });
        const bytes = await bytesOf(reply);
        const last = new Map(
          Array.from({ length: 60_000 }, (_, seq) => [
            Math.floor((openUs / 1e3 + seq * 1e3) / Math.max(step_ms, 1)),
            seq,
          ]),
        );
        assert.deepEqual(await seqsIn(format, bytes), [...last.values()], `${format}, step ${step_ms}`);
        const trailer = reply.trailer?.() ?? reply.meta.head;
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        assert.deepEqual([trailer?.['complete'], trailer?.['count'], trailer?.['sha256']], [true, last.size, sha256]);
        const { start_ts, end_ts, has_more } = reply.meta.head ?? {};
        assert.deepEqual([start_ts, end_ts, has_more], [openUs / 1e6, openUs / 1e6 + 59_999.000001, false]);
      }
    }
    const reply = await request({ ticker, format: 'parquet' });
    const metadata = parquetMetadata(new Uint8Array(await bytesOf(reply)).buffer);
    const query = metadata.key_value_metadata?.find(({ key }) => key === 'almanac.query')?.value ?? '{}';
    assert.equal(z.object({ ticker: z.string() }).parse(JSON.parse(query)).ticker, ticker);
  });

  it('are a header, no line, or a file without rows when nothing is stored', async () => {
    const ticker = await market();
    for (const [format, expected] of [
      ['csv', /^"ticker","event_ticker","series","ts",.*"coin_price"\r\n$/],
      ['ndjson', /^$/],
      ['parquet', /^PAR1.*PAR1$/s],
    ] as const) {
      const reply = await request({ ticker, format });
      assert.match((await bytesOf(reply)).toString('latin1'), expected);
      assert.deepEqual([reply.meta.head?.['count'], reply.meta.head?.['complete']], [0, true]);
    }
  });

  it('take a slot while they stream, at most two of an account, and free it at their end', async () => {
    const ticker = await longMarket(100_000);
    const unavailable = (error: unknown): boolean => error instanceof DomainError && error.code === 'unavailable';
    const open = [await request({ ticker, format: 'csv' }), await request({ ticker, format: 'ndjson' })];
    await assert.rejects(
      request({ ticker, format: 'csv' }),
      (error) => unavailable(error) && /bulk reads/.test(String(error)),
    );
    open.push(await request({ ticker, format: 'csv' }, 'a2'));
    await assert.rejects(
      request({ ticker, format: 'csv' }, 'a3'),
      (error) => unavailable(error) && /busy/.test(String(error)),
    );
    // A short answer needs no slot of a stream.
    assert.equal((await request({ ticker, format: 'csv', step_ms: 60_000 }, 'a3')).meta.head?.['complete'], true);
    const [first, ...rest] = open;
    if (first === undefined) throw new Error('three streams are open');
    assert.equal((await seqsIn('csv', await bytesOf(first))).length, 100_000);
    for (const reply of rest) reply.cancelRest?.();
    await eventually(async () => {
      const again = await request({ ticker, format: 'csv' }, 'a3');
      await bytesOf(again);
    });
  });
});
