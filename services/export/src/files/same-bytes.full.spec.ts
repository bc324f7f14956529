// It repeats a small test of file-rows.int.spec.ts with 400,000 rows, which ClickHouse reads in several parts at once.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { command, localTableOf } from '@almanac/clickhouse';
import { tableFormatIds, type ExportStream } from '@almanac/contracts';
import { type Archive, startArchive, storeMarkets } from '../testing/archive.js';
import { queryOf } from '../testing/queries.js';
import { startStore, type StoreFixture } from '../testing/store.js';
import { writeFile } from './write-file.js';

const event = 'KXSAME-26FEB24';
const markets = 40;
const rowsOfMarket = 10_000;

describe('an export of the same data', { timeout: 240_000 }, () => {
  let archive: Archive;
  let store: StoreFixture;
  before(async () => {
    [archive, store] = await Promise.all([startArchive(), startStore()]);
    const row = { event_ticker: event, series: 'KXSAME', seq: 1, result: 'yes' };
    await storeMarkets(
      archive,
      Array.from({ length: markets }, (_, market) => ({ ...row, ticker: `${event}-${market}`, floor_strike: market })),
    );
    // Several parts, each with all markets. The later ones replace some rows of the earlier.
    for (const [part, every] of [
      [0, 1],
      [1, 3],
      [2, 7],
    ] as const) {
      await storePart(archive, part, every);
    }
  });
  after(() => Promise.all([archive.stop(), store.stop()]));

  const sha256 = async (format: (typeof tableFormatIds)[number], streams: ExportStream[]): Promise<string> => {
    const exportQuery = queryOf({ event, series: 'KXSAME', streams, format });
    const pendingFile = { key: 'a'.repeat(64), exportQuery, requested_us: 1_772_000_000_000_000 };
    const stores = { ...archive, objects: store.objects, versionsOf: () => Promise.resolve([]) };
    const signal = AbortSignal.timeout(120_000);
    const { file } = await writeFile(stores, pendingFile, { signal });
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
    const stored = archive.operator.cluster === undefined ? 'snapshots' : localTableOf('snapshots');
    await command(archive.operator, { sql: `OPTIMIZE TABLE ${stored} FINAL` });
    for (const [index, { format, streams }] of files.entries()) {
      assert.equal(await sha256(format, streams), first[index], `${format} ${streams.join()}, of one part`);
    }
  });
});

const storePart = (archive: Archive, part: number, every: number): Promise<void> =>
  command(archive.operator, {
    sql: `INSERT INTO snapshots (ticker, series, ts, seq, coin_price, yes_best_bid, has_book, orderbook_yes, orderbook_no)
      SELECT {event:String} || '-' || toString(number % {markets:UInt64}), 'KXSAME',
        fromUnixTimestamp64Micro(1771900000000000 + intDiv(number, {markets:UInt64}) * 1000003),
        if(number % 5 = 0, NULL, number + {part:UInt64}), number / 100 + {part:UInt64}, (number % 1000) / 1000,
        number % 2 = 0, arrayMap(level -> (level / 100, number % 977), range(number % 12)), []
      FROM numbers({rows:UInt64}) WHERE number % {every:UInt64} = 0`,
    params: { event, markets, part, every, rows: markets * rowsOfMarket },
  });
