import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { seededRandom } from '@almanac/testing';
import { parseMapping } from '../mapping/load-mapping.js';
import { observedSpans, spanEnds } from './observed-spans.js';
import { runImport } from './run-import.js';
import { memoryArchive } from './testing/memory-archive.js';
import { withFolder } from './testing/import-paths.js';

const second = 1_000_000;

const spansOf = (times: readonly number[], every: number | null = 2) => {
  const spans = observedSpans({ everyUs: every === null ? null : every * second, tolerance: 3 });
  for (const at of times) spans.see('A', at * second);
  spans.endAll();
  return spans
    .take()
    .map(({ start_us, end_us, tolerance_us, end_reason }) => [
      start_us / second,
      end_us / second,
      tolerance_us / second,
      end_reason,
    ]);
};

describe('the spans of a recording at intervals', () => {
  it('end where rows are further apart than the tolerance', () => {
    assert.deepStrictEqual(spansOf([10, 12, 14, 20, 27, 29]), [
      [10, 20, 6, spanEnds.missing],
      [27, 29, 6, spanEnds.ended],
    ]);
    assert.deepStrictEqual(spansOf([]), []);
  });

  it('do not depend on the order of rows that are close together', () => {
    const random = seededRandom(5);
    for (let run = 0; run < 200; run += 1) {
      const times = Array.from({ length: 30 }, (_, at) => at * 2 + (at >= 16 ? 100 : 0) + Math.round(random()));
      const swapped = times.map((time, at) => (at % 2 === 0 ? (times[at + 1] ?? time) : (times[at - 1] ?? time)));
      assert.deepStrictEqual(spansOf(swapped), spansOf(times));
    }
  });

  it('have the median distance as their cadence if it is taken from the data', () => {
    const times = [0, 5, 10, 15, 20, 40, 45, 50];
    assert.deepStrictEqual(spansOf(times, null), [
      [0, 20, 15, spanEnds.missing],
      [40, 50, 15, spanEnds.ended],
    ]);
    const many = Array.from({ length: 5_000 }, (_, at) => at * 5 + (at < 3_000 ? 0 : 1_000));
    assert.deepStrictEqual(spansOf(many, null), [
      [0, 14_995, 15, spanEnds.missing],
      [16_000, 25_995, 15, spanEnds.ended],
    ]);
  });

  it('are imported if the mapping states a cadence, without rows that were refused', async () => {
    const mapping = (cadence: string) =>
      parseMapping(
        `
name: quotes
format: csv
match: { columns: [ticker, time, bid] }
${cadence}
fields:
  ticker: { column: ticker }
  ts: { column: time, unit: s }
  yes_best_bid: { column: bid }
`,
        'quotes.yaml',
      );
    const rows = [0, 2, 4, 6, 8, 10, 12, 14].map(
      (at) => `A,${1_700_000_000 + at},${at >= 4 && at <= 10 ? 'x' : '0.5'}`,
    );
    await withFolder(async (folder) => {
      const file = join(folder, 'quotes.csv');
      await writeFile(file, `ticker,time,bid\n${rows.join('\n')}\n`);
      const imported = async (cadence: string) => {
        const into = memoryArchive();
        const options = {
          archive: into.archive,
          mappings: mapping(cadence),
          refusedFolder: folder,
          startedAt: new Date(0),
        };
        const { reports } = await runImport([file], options);
        assert.strictEqual(reports[0]?.error, null);
        return Array.from(into.spans.values(), ({ start_us, end_us }) =>
          [start_us, end_us].map((us) => us / second - 1_700_000_000),
        );
      };
      assert.deepStrictEqual(await imported('cadence: { every: 2s, tolerance: 3x }'), [
        [0, 2],
        [12, 14],
      ]);
      assert.deepStrictEqual(await imported('cadence: { every: from_data, tolerance: 6x }'), [[0, 14]]);
      assert.deepStrictEqual(await imported(''), []);
    });
  });

  it('need a mapping with times, a duration and a factor', () => {
    const faulty =
      (cadence: string, ts = '  ts: { column: time, unit: s }') =>
      () =>
        parseMapping(
          `name: x\nformat: csv\nmatch: { columns: [a] }\ncadence: ${cadence}\nfields:\n  ticker: { column: a }\n${ts}\n`,
          'x.yaml',
        );
    assert.throws(faulty('{ every: 2s }', ''), /cadence.*needs the field ts/s);
    assert.throws(faulty('{ every: often }'), /cadence/);
    assert.throws(faulty('{ every: 2s, tolerance: 3 }'), /tolerance/);
    assert.doesNotThrow(faulty('{ every: from_data }'));
  });
});
