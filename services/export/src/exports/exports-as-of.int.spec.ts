import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { rows } from '@almanac/clickhouse';
import { datasetIdOf, presentExport } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { storeMarkets } from '../testing/archive.js';
import { type ExportHarness, type Ready, refuses, startRunningHarness, tickerOf } from '../testing/harness.js';

/** The harness stores three rows in the first milliseconds of this second. */
const rowsS = 1_700_000_000;
const second = 1_000_000;

describe('an export as of a time', { timeout: 240_000 }, () => {
  let harness: ExportHarness;
  let event: string;
  before(async () => {
    harness = await startRunningHarness();
  });
  after(() => harness.close());
  beforeEach(async () => {
    ({ event } = await harness.change());
    const knownUs = (rowsS - 60) * second;
    const market = { ticker: tickerOf(event), event_ticker: event, series: 'KXTEST', seq: 2, result: 'yes' };
    const result_versions = [[(rowsS + 500) * second, 'yes']];
    await storeMarkets(harness.fixture, [{ ...market, listed_us: knownUs, result_versions }]);
  });

  const readyAt = (as_of: number): Promise<Ready> => harness.ready({ event, as_of });
  const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

  it('has the rows and values of then, states the time, and no data version', async () => {
    const [early, late] = [await readyAt(rowsS), await readyAt(rowsS + 500)];
    assert.deepEqual([early.file.row_count, late.file.row_count], [1, 3]);
    assert.ok(!(await harness.textOf(early.id)).includes('"yes"'));
    assert.ok((await harness.textOf(late.id)).includes('"yes"'));
    assert.match(early.filename, new RegExp(`_as-of-${rowsS}\\.csv$`));
    const { manifest, citation } = await harness.link(early.id);
    assert.equal(manifest?.query.as_of, rowsS);
    assert.deepEqual(manifest.markets, [{ ticker: tickerOf(event), data_version: null, rows: 1 }]);
    assert.match(citation?.text ?? '', /, as of 2023-11-14T22:13:20\.000Z\. /);
    const quote = await harness.quote({ event, as_of: rowsS });
    assert.deepEqual([quote.row_count, quote.as_of], [1, rowsS]);
  });

  it('shares its file with the same time, and with no other', async () => {
    const times = [rowsS + 400, rowsS + 400, rowsS + 401];
    const [one, same, other, present] = [...(await Promise.all(times.map(readyAt))), await harness.ready({ event })];
    assert.equal(one?.file_key, same?.file_key);
    assert.equal(new Set([one, other, present].map((state) => state?.file_key)).size, 3);
  });

  it('of a dataset has its bytes, although rows came later, and only for those who may read as of its time', async () => {
    const made = await readyAt(rowsS);
    const text = await harness.textOf(made.id);
    const dataset = datasetIdOf(made.file.sha256, rowsS);
    await harness.storeEvent(9);
    await harness.stubs.changed(tickerOf(event));
    await harness.fixture.objects.delete(made.file.storage_key);
    const again = await harness.ready({ dataset, as_of: rowsS + 9 });
    assert.equal(again.file.sha256, hashOf(text));
    assert.equal(again.query.as_of, rowsS);
    await refuses(harness.create({ dataset, as_of: rowsS - 1 }), 'dataset_not_found');
    const present = await harness.ready({ event });
    await refuses(
      harness.create({ dataset: datasetIdOf(present.file.sha256, undefined), as_of: rowsS }),
      'dataset_not_found',
    );
  });

  it('is in the list as of its time and of later ones, with its time, on every page', async () => {
    const made = [await readyAt(rowsS), await readyAt(rowsS + 400), await harness.create({ event })];
    const ids = async (input: Parameters<ExportHarness['list']>[0]) =>
      (await harness.list(input)).exports.map(({ id, as_of }) => [made.findIndex((one) => one.id === id), as_of]);
    assert.deepEqual(await ids({ as_of: rowsS - 1 }), []);
    assert.deepEqual(await ids({ as_of: rowsS }), [[0, rowsS]]);
    const both = [
      [1, rowsS + 400],
      [0, rowsS],
    ];
    assert.deepEqual(await ids({ as_of: rowsS + 400 }), both);
    assert.deepEqual(await ids({}), [[2, undefined], ...both]);
    const first = await harness.list({ as_of: rowsS + 400, limit: 1 });
    assert.deepEqual([first.as_of, first.has_more], [rowsS + 400, true]);
    assert.deepEqual(await ids({ as_of: rowsS + 400, limit: 1, cursor: first.next_cursor ?? '' }), [[0, rowsS]]);
    await refuses(harness.list({ cursor: first.next_cursor ?? '' }), 'invalid_cursor');
    // The list begins with what the table may lack.
    const stored = () =>
      rows(harness.fixture.operator, {
        sql: 'SELECT id FROM exports FINAL WHERE as_of = {as_of:Int64}',
        params: { as_of: rowsS },
      });
    await eventually(async () => assert.ok((await stored()).length > 0));
    assert.deepEqual(await ids({ as_of: rowsS }), [[0, rowsS]]);
  });

  it('has a dataset that does not exist before its time', async () => {
    const [past, present] = [await readyAt(rowsS), await harness.ready({ event })];
    const [dataset, later] = [datasetIdOf(past.file.sha256, rowsS), datasetIdOf(present.file.sha256, undefined)];
    const found = await harness.dataset(dataset, 'a reader', rowsS);
    assert.deepEqual(found, await harness.dataset(dataset, 'a reader'));
    await refuses(harness.dataset(dataset, 'a reader', rowsS - 1), 'dataset_not_found');
    await refuses(harness.dataset(later, 'a reader', rowsS), 'dataset_not_found');
  });

  it('has a dataset of its own time, although a file of another time has the same bytes', async () => {
    const times = [rowsS + 401, rowsS + 400];
    const made: { readonly id: string; readonly sha256: string }[] = [];
    // One after the other: the first must not decide for the second.
    for (const asOf of times) {
      const ready = await readyAt(asOf);
      const { manifest, citation } = await harness.link(ready.id);
      const id = presentExport(ready).dataset_id ?? '';
      assert.deepEqual(manifest?.query.as_of, asOf);
      assert.ok(citation?.text.includes(`as of ${new Date(asOf * 1_000).toISOString()}`), citation?.text);
      assert.ok(citation?.text.includes(id));
      assert.equal((await harness.dataset(id, 'a reader', asOf)).manifest.query.as_of, asOf);
      made.push({ id, sha256: ready.file.sha256 });
    }
    const [later, earlier] = made;
    assert.equal(later?.sha256, earlier?.sha256);
    assert.notEqual(later?.id, earlier?.id);
    await refuses(harness.dataset(later?.id ?? '', 'a reader', rowsS + 400), 'dataset_not_found');
    const again = await harness.ready({ dataset: earlier?.id ?? '', as_of: rowsS + 400 });
    assert.equal(presentExport(again).dataset_id, earlier?.id);
  });

  it('may not be in the future', async () => {
    const as_of = 4_102_444_800;
    await refuses(harness.create({ event, as_of }), 'as_of_in_future');
    await refuses(harness.list({ as_of }), 'as_of_in_future');
    await refuses(harness.dataset(`ds-${'0'.repeat(32)}`, 'a reader', as_of), 'as_of_in_future');
  });
});
