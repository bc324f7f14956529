import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { explain } from '../../explain/explain.js';
import { loadBuiltInMappings, parseMapping } from '../../mapping/load-mapping.js';
import { importFiles } from '../testing/import-files.js';
import { gapsIn } from '../testing/memory-archive.js';
import { withFolder } from '../testing/with-folder.js';

const startMs = 1_786_399_200_000;
const ticker = 'KXA-26AUG10-T1';
const frame = (seq: number, type: string, msg: object): object => ({
  type,
  sid: 1,
  seq,
  msg: { market_ticker: ticker, ...msg },
});
const frames = [
  frame(1, 'orderbook_snapshot', { yes_dollars_fp: [['0.5000', '10.00']], no_dollars_fp: [] }),
  ...Array.from({ length: 11 }, (_, at) =>
    frame(at + 2, 'orderbook_delta', { price_dollars: '0.5100', delta_fp: '2.00', side: 'yes' }),
  ),
  // The number 13 is missing.
  frame(14, 'orderbook_delta', { price_dollars: '0.5200', delta_fp: '2.00', side: 'yes' }),
];
const rows = frames.map((raw, at) => ({ recv: startMs + 1_000 * at, raw }));
const mapping = [
  'name: mine',
  'match: { columns: [recv, raw] }',
  'frame: { column: raw, received: { column: recv, unit: ms } }',
].join('\n');

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const csv = ['recv,raw', ...rows.map(({ recv, raw }) => `${recv},${quoted(JSON.stringify(raw))}`)].join('\n');
const parquet = new Uint8Array(
  parquetWriteBuffer({
    columnData: [
      { name: 'recv', data: rows.map(({ recv }) => BigInt(recv)), type: 'INT64' },
      { name: 'raw', data: rows.map(({ raw }) => JSON.stringify(raw)), type: 'STRING' },
    ],
  }),
);

describe('frames in a column', () => {
  const files = {
    'a.csv': csv,
    'a.jsonl': rows.map((row) => JSON.stringify(row)).join('\n'),
    'a.json': JSON.stringify(rows.map(({ recv, raw }) => ({ recv, raw: JSON.stringify(raw) }))),
    'a.parquet': parquet,
  };
  for (const [name, content] of Object.entries(files))
    it(`are read like recorded ones, from ${name}`, async () => {
      const { rows: stored, spans, report } = await importFiles({ [name]: content }, { mapping });
      assert.deepEqual([report.mapping, report.error, report.refusals, report.rowsRead], ['mine', null, 0, 13]);
      const last = Array.from(stored.values()).at(-1);
      assert.deepEqual([stored.size, Number(last?.ts) * 1_000 - startMs, last?.bid], [12, 11_000, '0.51']);
      assert.deepEqual(
        gapsIn({ spans }).map(({ startUs }) => startUs / 1_000 - startMs),
        [11_000],
      );
    });

  it('have the time of the venue without a receipt, and a row without a frame is refused', async () => {
    const timed = frame(1, 'orderbook_snapshot', {
      yes_dollars_fp: [['0.5000', '10.00']],
      no_dollars_fp: [],
      ts_ms: startMs,
    });
    const content = ['at,raw', `x,${quoted(JSON.stringify(timed))}`, 'y,'].join('\n');
    const { rows: stored, report } = await importFiles(
      { 'a.csv': content },
      { mapping: 'name: mine\nmatch: { columns: [raw] }\nframe: { column: raw }' },
    );
    assert.deepEqual([stored.size, report.refusals], [1, 1]);
  });

  it('are suggested by --explain', () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, 'a.csv'), csv);
      const lines: string[] = [];
      for await (const line of explain([join(folder, 'a.csv')], await loadBuiltInMappings())) lines.push(line.trim());
      assert.ok(lines.includes('frame: { column: raw, received: { column: recv, unit: ms } }'), lines.join('\n'));
    }));

  it('have no fields, and their keys are named if they are wrong', () => {
    const faultsOf = (...more: readonly string[]): string => {
      try {
        parseMapping([mapping, ...more].join('\n'), 'mine.yaml');
      } catch (error) {
        return error instanceof Error ? error.message : '';
      }
      return '';
    };
    assert.match(faultsOf('fields: { ticker: { column: a } }'), /line 4: fields\.ticker is not for frames/);
    assert.match(faultsOf('cadence: { every: 1s }'), /line 4: cadence is not for frames/);
    assert.throws(
      () =>
        parseMapping(
          'name: x\nmatch: { columns: [a] }\nframe: { column: a, received: { column: b, unit: m } }',
          'x.yaml',
        ),
      /line 3: frame\.received\.unit must be one of/,
    );
  });
});
