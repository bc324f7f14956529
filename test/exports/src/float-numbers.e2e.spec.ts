import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { tableFormatIds, exportResponse } from '@almanac/contracts';
import { poll } from '@almanac/test-e2e';
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { z } from 'zod';
import { startGeneratedHarness } from './generated-harness.js';
import type { RunningHarness } from './harness.js';

const prices = ['yes_best_bid', 'yes_best_ask', 'coin_price'] as const;
const others = ['floor_strike', 'coin_price_start', 'coin_price_end', 'expiration_value'] as const;
const books = ['orderbook_yes', 'orderbook_no'] as const;
const number = z.number().nullable();
const book = z.array(z.array(z.number()));
const shownRow = z.object({ yes_best_bid: number, yes_best_ask: number, coin_price: number, orderbook_yes: book });

describe('an export with numbers: float', () => {
  let running: RunningHarness;
  before(async () => {
    running = await startGeneratedHarness();
  });
  after(() => running.stop());

  const fileOf = async (format: string, numbers?: string) => {
    const { api, targets } = running;
    const body = JSON.stringify({ ...targets.ticker, format, numbers, streams: ['l2', 'settlement'] });
    const { id } = await api.json(exportResponse, '/exports', { method: 'POST', body });
    const ready = await poll(
      () => api.json(exportResponse, `/exports/${id}`),
      ({ status }) => status !== 'pending',
    );
    assert.equal(ready.status, 'ready', ready.error ?? '');
    const { bytes } = await api.send(`/exports/${id}/file`);
    return { ready, bytes };
  };
  const readByDuckDb = async (bytes: Buffer) => {
    const path = join(running.folder, 'floats.parquet');
    await writeFile(path, bytes);
    return running.duckdb.runAndReadAll(`SELECT * FROM read_parquet('${path}')`);
  };

  it('is another file than with decimals, and says so', async () => {
    for (const format of tableFormatIds) {
      const [decimal, float] = [await fileOf(format), await fileOf(format, 'float')];
      assert.deepEqual([decimal.ready.numbers, float.ready.numbers], ['decimal', 'float']);
      assert.equal(float.ready.manifest?.query.numbers, 'float');
      assert.notEqual(decimal.ready.storage_key, float.ready.storage_key);
      assert.equal(decimal.ready.row_count, float.ready.row_count);
      assert.match(float.ready.filename ?? '', /_l2_float|_float\./);
      assert.equal((await fileOf(format, 'decimal')).ready.storage_key, decimal.ready.storage_key);
    }
  });

  it('has floats and lists of lists of floats in Parquet, with the values of the decimals', async () => {
    const { bytes, ready } = await fileOf('parquet', 'float');
    const file = new Uint8Array(bytes).buffer;
    const types = new Map(
      parquetSchema(parquetMetadata(file)).children.map(({ element }) => [element.name, element.type]),
    );
    for (const name of [...prices, ...others]) assert.equal(types.get(name), 'DOUBLE', name);
    const table = await readByDuckDb(bytes);
    const duckTypes = new Map(table.columnNames().map((name, at) => [name, String(table.columnTypes()[at])]));
    for (const name of [...prices, ...others]) assert.equal(duckTypes.get(name), 'DOUBLE', name);
    for (const name of books) assert.equal(duckTypes.get(name), 'DOUBLE[][]', name);
    const rows = z.array(shownRow).parse(await parquetReadObjects({ file, compressors }));
    assert.equal(rows.length, ready.row_count);
    const { bytes: lines } = await fileOf('json');
    const exact = z.array(shownRow.extend({ orderbook_yes: book.nullable() })).parse(JSON.parse(lines.toString()));
    // A JSON number is read as the float nearest to the decimal. A row without a book has an empty list in Parquet.
    assert.deepEqual(
      rows,
      exact.map((row) => ({ ...row, orderbook_yes: row.orderbook_yes ?? [] })),
    );
    assert.ok(rows.some(({ orderbook_yes }) => orderbook_yes.length > 0));
  });

  it('has text that reads as the same numbers', async () => {
    const [decimal, float] = [await fileOf('json'), await fileOf('json', 'float')];
    assert.deepEqual(JSON.parse(float.bytes.toString()), JSON.parse(decimal.bytes.toString()));
  });
});
