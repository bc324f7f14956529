import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { StagingMissing } from '@almanac/contracts';
import { importPath } from '../import/testing/import-files.js';
import { withFolder } from '../import/testing/with-folder.js';
import { loadBuiltInMappings, parseMapping } from '../mapping/load-mapping.js';
import { zipOf } from '../sources/testing/archives.js';
import { explain } from './explain.js';

/** The lines about one file, and what the suggested mapping imports. */
const explained = (name: string, content: string | Uint8Array, given?: string, missing: StagingMissing | null = null) =>
  withFolder(async (folder) => {
    const path = join(folder, name);
    await writeFile(path, content);
    const lines: string[] = [];
    let unreadable = 0;
    const count = (): void => void (unreadable += 1);
    const missingStaging = () => Promise.resolve(missing);
    const mappings = given === undefined ? await loadBuiltInMappings() : parseMapping(given, 'mine.yaml');
    for await (const line of explain([path], mappings, { onUnreadable: count, missingStaging }))
      lines.push(line.replace(`${folder}/`, ''));
    const start = lines.findIndex((line) => line.startsWith('  A mapping to start from'));
    if (start < 0) return { lines, unreadable, imported: null };
    const mapping = lines
      .slice(start + 2)
      .map((line) => line.slice(2))
      .join('\n');
    return { lines, unreadable, imported: await importPath(path, { mapping }) };
  });

describe('--explain shows what a file holds and a mapping that works', () => {
  it('of times without a zone, which says that UTC is a guess', async () => {
    const { lines, imported } = await explained('q.csv', 'ticker,at,bid\nA-1,2026-02-25 04:20:00,0.4\n');
    assert.equal(imported?.report.observationsStored, 1);
    assert.match(lines.join('\n'), /UTC is a guess[^]*ts: \{ column: at, unit: iso, assume_zone: UTC \}/);
  });

  it('or says which column has the name of a field, but not its values', async () => {
    const { lines, imported } = await explained('q.csv', 'market;time;bid;ask\nA-1;46344,5;0,49;0,51\n');
    assert.equal(imported, null);
    assert.deepEqual(lines.slice(-2), [
      '  For a mapping, time is called like ts, but its values are not times of one unit: 46344,5',
      '  For a mapping, bid is called like yes_best_bid, but not every value is a number with a point: 0,49',
    ]);
  });

  it('of quotes in CSV, inside of a zip', async () => {
    const csv = 'Market,time,bid,ask,note\nA-1,1771993200,10,12,\nA-1,1771993201,11,99,x\n';
    const { lines, imported } = await explained('quotes.zip', zipOf([['a/quotes.csv', csv]]));
    assert.deepEqual(lines.slice(0, 11), [
      'quotes.zip/a/quotes.csv',
      '  csv, 5 columns. All 2 rows have:',
      '    Market  text                  A-1',
      '    time    integer, a time in s  1771993200 to 1771993201',
      '    bid     integer               10 to 11',
      '    ask     integer               12 to 99',
      '    note    text                  x, empty in 1',
      '  Rows:',
      '    A-1 | 1771993200 | 10 | 12 |',
      '    A-1 | 1771993201 | 11 | 99 | x',
      '  No built-in format or mapping reads it.',
    ]);
    assert.deepEqual(
      Array.from(imported?.rows.values() ?? [], ({ bid, ask }) => [bid, ask]),
      [
        ['0.1', '0.12'],
        ['0.11', '0.99'],
      ],
    );
  });

  it('of quotes whose only time has an unusual name', async () => {
    const { imported } = await explained('own.csv', 'market,at,bid,ask\nOWN-1,1795173300,0.49,0.51\n');
    assert.deepEqual(
      Array.from(imported?.rows.values() ?? [], ({ ts, bid, ask }) => [ts, bid, ask]),
      [['1795173300.000000', '0.49', '0.51']],
    );
    const settled = await explained('m.csv', 'ticker,close_time,yes_bid\nA-1,2026-03-19T14:00:00Z,0.49\n');
    assert.ok(settled.lines.includes('    close_ts: { column: close_time, unit: iso }'), settled.lines.join('\n'));
  });

  it('of a grid of levels whose integers are of powers of ten', async () => {
    const file = parquetWriteBuffer({
      columnData: [
        { name: 'ts_ms', data: [1771993200000n, 1771993200000n, 1771993200100n], type: 'INT64' },
        { name: 'ticker', data: ['A-1', 'A-1', 'A-1'] },
        { name: 'side', data: ['yes', 'no', 'yes'] },
        { name: 'price_1e4', data: [4800, 5100, 4850], type: 'INT32' },
        { name: 'size_1e2', data: [1250n, 700n, 100n], type: 'INT64' },
      ],
    });
    const { lines, imported } = await explained('grid.parquet', new Uint8Array(file));
    assert.ok(lines.includes('    price: { column: price_1e4, unit: 1e-4 }'), lines.join('\n'));
    assert.deepEqual(
      Array.from(imported?.rows.values() ?? [], ({ bid, ask, book }) => [bid, ask, book?.yes, book?.no]),
      [
        ['0.48', '0.49', '[(0.48,12.5)]', '[(0.51,7)]'],
        ['0.485', null, '[(0.485,1)]', '[]'],
      ],
    );
  });

  it('of trades in Parquet, whose times are wrongly declared', async () => {
    const file = parquetWriteBuffer({
      columnData: [
        { name: 'trade_id', data: ['t1'] },
        { name: 'market', data: ['A-1'] },
        { name: 'timestamp', data: [1_771_993_200_000n] },
        { name: 'price', data: [0.25] },
        { name: 'count', data: [3] },
      ],
      schema: [
        { name: 'root', num_children: 5 },
        { name: 'trade_id', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
        { name: 'market', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
        {
          name: 'timestamp',
          type: 'INT64',
          logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
        },
        { name: 'price', type: 'DOUBLE' },
        { name: 'count', type: 'INT32' },
      ],
    });
    const { lines, imported } = await explained('t.parquet', Buffer.from(file));
    assert.ok(lines.includes('    timestamp  timestamp[us, UTC]  1970-01-21T12:13:13.200000Z'), lines.join('\n'));
    assert.deepEqual(
      Array.from(imported?.trades.values() ?? [], ({ receivedTs, price, size }) => [receivedTs, price, size]),
      [['1771993200.000000', '0.25', '3']],
    );
  });

  it('says how the books of a recording are imported, and why', async () => {
    const msg = { market_ticker: 'KXA-1', yes_dollars_fp: [], no_dollars_fp: [] };
    const frame = JSON.stringify({ type: 'orderbook_snapshot', sid: 1, seq: 1, msg });
    const line = JSON.stringify({ recv_ts_ns: 1_771_993_200_000_000_000, raw: frame });
    const small = await explained('f.jsonl', `${line}\n`);
    assert.ok(small.lines.includes('  Imported by row: the file is small.'), small.lines.join('\n'));
    const large = await explained('f.jsonl', `${line}\n`.repeat(5_000));
    assert.ok(large.lines.includes('  Imported by column: books of a recording.'), large.lines.join('\n'));
  });

  it('says how the rows of a mapping are imported, and why', async () => {
    const mapping =
      'name: q\nmatch: { columns: [t, at] }\nfields:\n  ticker: { column: t }\n  ts: { column: at, unit: s }\n';
    const small = await explained('q.csv', 't,at\nA-1,1771993200\n', mapping);
    assert.equal(small.lines.at(-1), '  Imported by row: the file is small.');
    const csv = `t,at\n${'A-1,1771993200\n'.repeat(200_000)}`;
    const large = await explained('q.csv', csv, mapping);
    assert.equal(large.lines.at(-1), '  Imported by column: quotes of a file with columns.');
    const refused = await explained('q.csv', csv, mapping, 'rights');
    assert.match(
      refused.lines.at(-1) ?? '',
      /^ {2}Imported by row: the archive has no right to staging tables\. Apply /,
    );
  });

  it('names what reads a known file, what near mappings lack, and what is not supported', async () => {
    const known = await explained(
      'm.json',
      '[{"ticker":"A-1","event_ticker":"A","close_time":"2026-03-19T14:00:00Z","status":"active"}]',
    );
    assert.ok(known.lines.includes('  Read by the format kalshi-markets.'), known.lines.join('\n'));
    const near = await explained('n.csv', 'ticker,ts,x\nA-1,soon,1\n');
    assert.match(near.lines.join('\n'), /kalshi-raw-books needs the missing columns book\./);
    assert.match(near.lines.at(-1) ?? '', /^ {2}For a mapping, no column looks like /);
    const avro = await explained('x', 'Obj\x01 and more');
    assert.deepEqual([known.unreadable, near.unreadable, avro.unreadable], [0, 0, 1]);
    assert.match(avro.lines[1] ?? '', /^ {2}error: Avro files are not supported\. Convert it to Parquet/);
  });
});
