import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { command, localTableOf } from '@almanac/clickhouse';
import { tableFormatIds, type ExportStream } from '@almanac/contracts';
import { startFixture, storeMarkets, type ExportFixture } from '../testing/fixture.js';
import { writeFile } from './write-file.js';

const event = 'KXSAME-26FEB24';
const markets = 40;
const rowsOfMarket = 10_000;

describe('an export of the same data', { timeout: 240_000 }, () => {
  let fixture: ExportFixture;
  before(async () => {
    fixture = await startFixture();
    const row = { event_ticker: event, series: 'KXSAME', seq: 1, result: 'yes' };
    await storeMarkets(
      fixture,
      Array.from({ length: markets }, (_, market) => ({ ...row, ticker: `${event}-${market}`, floor_strike: market })),
    );
    // Several parts, each with all markets. The later ones replace some rows of the earlier.
    for (const [part, every] of [
      [0, 1],
      [1, 3],
      [2, 7],
    ] as const) {
      await storePart(fixture, part, every);
    }
  });
  after(() => fixture.stop());

  const sha256 = async (format: (typeof tableFormatIds)[number], streams: ExportStream[]): Promise<string> => {
    const exportQuery = {
      event,
      ticker: null,
      series: 'KXSAME',
      day: null,
      streams,
      format,
      numbers: 'decimal' as const,
    };
    const pendingFile = { key: 'a'.repeat(64), exportQuery, requested_us: 1_772_000_000_000_000 };
    const signal = AbortSignal.timeout(120_000);
    const { file } = await writeFile({ ...fixture, versionsOf: () => Promise.resolve([]) }, pendingFile, { signal });
    assert.equal(file.row_count, streams.includes('l2') ? markets * rowsOfMarket : markets);
    return file.sha256;
  };

  it('has the same bytes in every format, in whatever order the table holds the rows', async () => {
    const files = tableFormatIds.flatMap((format) => [
      { format, streams: ['l2', 'settlement'] as ExportStream[] },
      { format, streams: ['settlement'] as ExportStream[] },
    ]);
    const first: string[] = [];
    for (const { format, streams } of files) first.push(await sha256(format, streams));
    for (const [index, { format, streams }] of files.entries()) {
      assert.equal(await sha256(format, streams), first[index], `${format} ${streams.join()}, again`);
    }
    const stored = fixture.operator.cluster === undefined ? 'snapshots' : localTableOf('snapshots');
    await command(fixture.operator, { sql: `OPTIMIZE TABLE ${stored} FINAL` });
    for (const [index, { format, streams }] of files.entries()) {
      assert.equal(await sha256(format, streams), first[index], `${format} ${streams.join()}, of one part`);
    }
  });
});

const storePart = (fixture: ExportFixture, part: number, every: number): Promise<void> =>
  command(fixture.operator, {
    sql: `INSERT INTO snapshots (ticker, series, ts, seq, coin_price, yes_best_bid, has_book, orderbook_yes, orderbook_no)
      SELECT {event:String} || '-' || toString(number % {markets:UInt64}), 'KXSAME',
        fromUnixTimestamp64Micro(1771900000000000 + intDiv(number, {markets:UInt64}) * 1000003),
        if(number % 5 = 0, NULL, number + {part:UInt64}), number / 100 + {part:UInt64}, (number % 1000) / 1000,
        number % 2 = 0, arrayMap(level -> (level / 100, number % 977), range(number % 12)), []
      FROM numbers({rows:UInt64}) WHERE number % {every:UInt64} = 0`,
    params: { event, markets, part, every, rows: markets * rowsOfMarket },
  });
