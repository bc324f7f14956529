import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadBuiltInMappings } from '../mapping/load-mapping.js';
import { runImport } from './run-import.js';
import { withFolder } from './testing/import-paths.js';
import { memoryArchive } from './testing/memory-archive.js';

const importLines = (lines: readonly object[], { exact = false } = {}) =>
  withFolder(async (folder) => {
    const file = join(folder, 'lines.jsonl');
    await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    const { archive, rows, things } = memoryArchive();
    const mappings = await loadBuiltInMappings();
    const options = { archive, mappings, refusedFolder: folder, startedAt: new Date(0), exact };
    const { reports } = await runImport([file], options);
    const [report] = reports;
    assert.ok(report);
    return { report, rows, things };
  });

const market = {
  ticker: 'KXA-26MAR-T1',
  event_ticker: 'KXA-26MAR',
  status: 'active',
  close_time: '2026-03-19T14:00:00Z',
};

describe('a catalogue with more digits than the archive stores', () => {
  const lines = [
    { ...market, floor_strike: '1.123456789' },
    { ...market, ticker: 'KXA-26MAR-T2', close_time: '2026-03-19T14:00:00.1234567Z', floor_strike: 2.5 },
    { ...market, ticker: 'KXA-26MAR-T3', floor_strike: 2.5 },
  ];

  it('is stored with fewer, counted with examples', async () => {
    const { report, things } = await importLines(lines);
    assert.deepEqual(Object.fromEntries(report.alteredExamples), {
      'floor_strike: rounded to 8 decimals': { from: '1.123456789', to: '1.12345679' },
      'close_ts: cut to microseconds': { from: '2026-03-19T14:00:00.1234567Z', to: '1773928800.123456' },
    });
    assert.equal(things.size, 3);
  });

  it('is refused with --exact', async () => {
    const { report, things } = await importLines(lines, { exact: true });
    assert.deepEqual([Array.from(things.keys()), report.recordsRefused], [['market KXA-26MAR-T3'], 2]);
    assert.equal(report.rowsRead, report.markets + report.recordsRefused);
  });
});

const frame = (ns: string, raw: object): object => ({ recv_ts_ns: `@${ns}@`, raw: JSON.stringify(raw) });

describe('frames received between two microseconds', () => {
  const book = { market_ticker: 'KXA-26MAR-T1', yes_dollars_fp: [['0.4000', '10.00']], no_dollars_fp: [] };
  const lines = [
    frame('1771993365058297000', { type: 'orderbook_snapshot', sid: 1, seq: 1, msg: book }),
    frame('1771993365058299123', {
      type: 'orderbook_delta',
      sid: 1,
      seq: 2,
      msg: { market_ticker: 'KXA-26MAR-T1', price_dollars: '0.4000', delta_fp: '5.00', side: 'yes' },
    }),
  ];
  const importFrames = (exact: boolean) =>
    withFolder(async (folder) => {
      const file = join(folder, 'frames.jsonl');
      const text = lines.map((line) => JSON.stringify(line).replaceAll(/"@(\d+)@"/g, '$1')).join('\n');
      await writeFile(file, text);
      const { archive, rows } = memoryArchive();
      const options = { archive, mappings: [], refusedFolder: folder, startedAt: new Date(0), exact, sampleUs: 1 };
      const { reports } = await runImport([file], options);
      return { report: reports[0], rows };
    });

  it('are stored at the earlier one, counted with an example', async () => {
    const { report, rows } = await importFrames(false);
    assert.equal(rows.size, 2);
    assert.deepEqual(Object.fromEntries(report?.alteredExamples ?? []), {
      'receive time: cut to microseconds': { from: '1771993365058299123', to: '1771993365.058299' },
    });
  });

  it('are refused with --exact', async () => {
    const { report, rows } = await importFrames(true);
    assert.equal(rows.size, 1);
    assert.deepEqual(report?.messages, { applied: 1, other: 0, refused: 1, notApplied: 0 });
  });
});

describe("a dump of the Python client's objects", () => {
  const dumped = Object.fromEntries(Object.entries(market).map(([key, value]) => [`_${key}`, value]));

  it('is read as a list of the venue, one object a line or in an answer', async () => {
    const event = { _event_ticker: 'KXA-26MAR', _series_ticker: 'KXA', _sub_title: 'In March', _title: 'A?' };
    for (const lines of [
      [event, { ...dumped, _title: 'Will A?', discriminator: null }],
      [{ event: [{ ...event, _markets: [{ ...dumped, _title: 'Will A?' }] }] }],
      [{ _events: [{ ...event, _markets: [{ ...dumped, _title: 'Will A?' }] }], _cursor: '' }],
    ]) {
      const { report, things } = await importLines(lines);
      assert.deepEqual([report.error, report.refused.size], [null, 0]);
      assert.partialDeepStrictEqual(things.get('market KXA-26MAR-T1'), { title: 'Will A?', series: 'KXA' });
      assert.partialDeepStrictEqual(things.get('event KXA-26MAR'), { title: 'A? (In March)', series: 'KXA' });
    }
  });
});
