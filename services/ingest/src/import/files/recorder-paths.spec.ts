import assert from 'node:assert/strict';
import { copyFile, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { tinyRecordings, writeKalshi15m, writeKalshiBooks, writeKalshiCatalogue } from '@almanac/recordings';
import { reportLines } from '../report/report-lines.js';
import { importPaths } from '../testing/import-files.js';
import { withFolder } from '../testing/with-folder.js';

/** A generated recording of a recorder, and a file of its changes. */
const withRecording = <T>(work: (at: { folder: string; recording: string; changes: string }) => Promise<T>) =>
  withFolder(async (folder) => {
    const { session } = await writeKalshiBooks(folder, { ...tinyRecordings, bookChanges: 200 });
    const recording = session.folder;
    const files = await readdir(join(recording, 'raw_events'), { recursive: true });
    const file = files.find((one) => one.startsWith('type=orderbook_delta') && one.endsWith('.gz'));
    assert.ok(file);
    return work({ folder, recording, changes: join(recording, 'raw_events', file) });
  });

describe("a recorder's paths", () => {
  it('raw_events/ is imported as the recording that it belongs to', () =>
    withRecording(async ({ recording }) => {
      const whole = await importPaths([recording]);
      const raw = await importPaths([join(recording, 'raw_events')]);
      assert.ok(whole.rows.size > 0);
      assert.deepEqual(raw.rows, whole.rows);
      assert.equal(raw.reports[0]?.file, recording.split('/').at(-1));
    }));

  it('a file or folder inside of a recording is refused, and the folder to import is named', () =>
    withRecording(async ({ recording, changes }) => {
      const inside = [
        changes,
        join(recording, 'raw_events', 'type=orderbook_delta'),
        join(recording, 'market_results.json'),
      ];
      for (const path of inside) {
        const { reports, rows } = await importPaths([path]);
        const remedy = `this is a part of the recording ${recording}. Import that folder`;
        assert.deepEqual([reports.map(({ error }) => error), rows.size], [[`${path}: ${remedy}`], 0]);
      }
    }));

  it('a file of a recording that was copied elsewhere is recognised by its records', () =>
    withRecording(async ({ folder, recording, changes }) => {
      const why = /a part of a recording of order books\. Import the folder that has raw_events\/ in it/;
      const spot = join(recording, 'spot_ticks.ndjson.gz');
      for (const from of [changes, spot]) {
        const copy = join(folder, 'copy.ndjson.gz');
        await copyFile(from, copy);
        const { reports } = await importPaths([copy]);
        assert.match(reports[0]?.error ?? '', why);
      }
    }));

  it('plain trades of the coin are read like packed ones, and what is not read is named', () =>
    withRecording(async ({ recording }) => {
      const packed = await importPaths([recording]);
      const spot = join(recording, 'spot_ticks.ndjson');
      await writeFile(spot, gunzipSync(await readFile(`${spot}.gz`)));
      await rm(`${spot}.gz`);
      await writeFile(join(recording, 'notes.txt'), 'a note');
      await rename(join(recording, 'notes.txt'), join(recording, 'raw_events', 'notes.txt'));
      const plain = await importPaths([recording]);
      assert.deepEqual(plain.rows, packed.rows);
      const [report] = plain.reports;
      assert.ok(report);
      assert.ok(report.unread.includes('raw_events/notes.txt'), report.unread.join());
      assert.match(reportLines(report, false).join('\n'), /^ {2}not read: .*raw_events\/notes\.txt/m);
    }));
});

const mapping = `
name: spot
format: jsonl
match: { columns: [symbol, price, local_recv_ns] }
fields:
  ticker: { column: symbol }
  ts: { column: local_recv_ns, unit: ns }
  coin_price: { column: price }
`;

describe('--mapping', () => {
  it('takes only the files that it describes, and passes over the others and recordings of books', () =>
    withRecording(async ({ folder, recording }) => {
      await writeKalshi15m(join(folder, 'kalshi-15m'), tinyRecordings);
      await writeKalshiCatalogue(join(folder, 'kalshi-catalog'), tinyRecordings);
      const spot = join(recording, 'spot_ticks.ndjson.gz');
      await copyFile(spot, join(folder, 'trades.ndjson.gz'));
      const { reports, rows } = await importPaths([folder], { mapping });
      const [taken, others] = [reports.filter((one) => one.mapping !== null), reports.filter((one) => !one.mapping)];
      assert.deepEqual(
        taken.map(({ file, error }) => [file, error]),
        [['trades.ndjson.gz', null]],
      );
      assert.ok(rows.size > 0);
      assert.ok(others.length > 5);
      for (const { file, passedOver } of others)
        assert.match(passedOver ?? '', /^the mapping spot (needs|does not)|^the file is/, file);
      assert.match(
        others.find(({ file }) => recording.endsWith(`/${file}`))?.passedOver ?? '',
        /^the mapping spot does not describe recordings of order books\. Import this one without --mapping$/,
      );
      const named = await importPaths([recording, spot], { mapping });
      assert.match(named.reports[0]?.error ?? '', /does not describe recordings of order books/);
      assert.equal(named.reports[1]?.error, null);
    }));
});
