import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bytes } from '@almanac/clickhouse';
import { tableFormatIds, type ExportQuery, type ExportStream } from '@almanac/contracts';
import { startFixture, storeMarkets, storeObservations, type ExportFixture } from '../testing/fixture.js';
import { readFileStats } from './file-stats.js';
import { fileSql } from './file-sql.js';
import { IncompleteFileError } from './classify-errors.js';

const event = 'KXBTC15M-26FEB242330';
const [seen, emptyMarket] = [`${event}-30`, `${event}-45`];

describe('the row counts of a file', () => {
  let fixture: ExportFixture;
  before(async () => {
    fixture = await startFixture();
    const row = { event_ticker: event, series: 'KXBTC15M', seq: 1 };
    await storeMarkets(fixture, [
      { ...row, ticker: seen },
      { ...row, ticker: emptyMarket },
    ]);
    await storeObservations(fixture, [
      { ticker: seen, ts: '1771993365.058297', seq: 1 },
      { ticker: seen, ts: '1771993366', seq: 2 },
    ]);
  });
  after(() => fixture.stop());

  const exportQueryOf = (target: Partial<ExportQuery>, streams: ExportStream[] = ['snapshots']): ExportQuery => {
    return {
      event: null,
      ticker: null,
      series: null,
      day: null,
      format: 'csv',
      numbers: 'decimal',
      ...target,
      streams,
    };
  };
  const rowCounts = async (exportQuery: ExportQuery) =>
    (await readFileStats(fixture.clickhouse, { exportQuery, nowUs: 1 }, AbortSignal.timeout(60_000))).counts;

  it('give the rows of each market, and whether it has a row without an observation', async () => {
    const [ofSeen, ofEmptyMarket] = [
      { ticker: seen, rows: 2 },
      { ticker: emptyMarket, rows: 1 },
    ];
    assert.deepEqual(await rowCounts(exportQueryOf({ event })), {
      markets: [ofSeen, ofEmptyMarket],
      rows: 3,
      hasEmpty: true,
    });
    assert.deepEqual(await rowCounts(exportQueryOf({ ticker: seen })), {
      markets: [ofSeen],
      rows: 2,
      hasEmpty: false,
    });
    assert.deepEqual(await rowCounts(exportQueryOf({ ticker: emptyMarket })), {
      markets: [ofEmptyMarket],
      rows: 1,
      hasEmpty: true,
    });
    const settled = await rowCounts(exportQueryOf({ event }, ['settlement']));
    assert.deepEqual([settled.rows, settled.hasEmpty], [2, false]);
  });

  it('are absent for a market that the tables do not have yet, so that no file is empty by mistake', async () => {
    for (const streams of [['snapshots'], ['settlement']] as ExportStream[][]) {
      await assert.rejects(rowCounts(exportQueryOf({ ticker: 'JUST-RECORDED' }, streams)), IncompleteFileError);
    }
  });

  it('without an empty market skip the search for one, and the bytes are the same', async () => {
    for (const format of tableFormatIds) {
      const [searched, spared] = [true, false].map((withEmpty) =>
        bytes(
          fixture.clickhouse,
          fileSql({ ...exportQueryOf({ ticker: seen }, ['l2', 'settlement']), format }, { nowUs: 1, withEmpty }),
        ),
      );
      assert.deepEqual(await searched, await spared, format);
    }
  });
});
