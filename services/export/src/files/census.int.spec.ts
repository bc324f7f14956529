import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bytes } from '@almanac/clickhouse';
import { exportFormatIds, type ExportQuestion, type ExportStream } from '@almanac/contracts';
import { startWorld, storeMarkets, storeObservations, type World } from '../testing/world.js';
import { takeCensus } from './census.js';
import { fileQuery } from './file-query.js';
import { IncompleteFileError } from './outages.js';

const event = 'KXBTC15M-26FEB242330';
const [seen, silent] = [`${event}-30`, `${event}-45`];

describe('the census of a file', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
    const row = { event_ticker: event, series: 'KXBTC15M', seq: 1 };
    await storeMarkets(world, [
      { ...row, ticker: seen },
      { ...row, ticker: silent },
    ]);
    await storeObservations(world, [
      { ticker: seen, ts: '1771993365.058297', seq: 1 },
      { ticker: seen, ts: '1771993366', seq: 2 },
    ]);
  });
  after(() => world.stop());

  const ask = (target: Partial<ExportQuestion>, streams: ExportStream[] = ['snapshots']): ExportQuestion => {
    return { event: null, ticker: null, series: null, day: null, format: 'csv', ...target, streams };
  };
  const census = (asked: ExportQuestion) => takeCensus(world.clickhouse, asked, AbortSignal.timeout(60_000))();

  it('tells the rows of each market, and whether one of them stands for no observation', async () => {
    const [ofSeen, ofSilent] = [
      { ticker: seen, rows: 2 },
      { ticker: silent, rows: 1 },
    ];
    const none = { hasGaps: false };
    assert.deepEqual(await census(ask({ event })), { ...none, markets: [ofSeen, ofSilent], rows: 3, hasEmpty: true });
    assert.deepEqual(await census(ask({ ticker: seen })), { ...none, markets: [ofSeen], rows: 2, hasEmpty: false });
    assert.deepEqual(await census(ask({ ticker: silent })), { ...none, markets: [ofSilent], rows: 1, hasEmpty: true });
    const settled = await census(ask({ event }, ['settlement']));
    assert.deepEqual([settled.rows, settled.hasEmpty], [2, false]);
  });

  it('is not taken of a market that the tables do not have yet, so that no file is empty for that', async () => {
    for (const streams of [['snapshots'], ['settlement']] as ExportStream[][]) {
      await assert.rejects(census(ask({ ticker: 'JUST-RECORDED' }, streams)), IncompleteFileError);
    }
  });

  it('that found no empty market spares the search for one, and the bytes are the same', async () => {
    for (const format of exportFormatIds) {
      const [searched, spared] = [true, false].map((withEmpty) =>
        bytes(
          world.clickhouse,
          fileQuery({ ...ask({ ticker: seen }, ['l2', 'settlement']), format }, { nowUs: 1, withEmpty }),
        ),
      );
      assert.deepEqual(await searched, await spared, format);
    }
  });
});
