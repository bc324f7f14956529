import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { dirtyChanges } from '../testing/dirty-changes.js';
import { dirtyFrames } from '../testing/dirty-frames.js';
import { hourCatalogue } from '../testing/hours.js';
import { importFiles, type TestImport } from '../testing/import-files.js';

/** What an import leaves. */
const imported = async (files: Readonly<Record<string, string | Uint8Array>>, options: TestImport) => {
  const { rows, spans, trades, things, refused, reports } = await importFiles(files, options);
  return { rows, spans, trades, things, refused, reports: reports.map((report) => ({ ...report, seconds: 0 })) };
};

const assertBothWays = async (
  files: Readonly<Record<string, string | Uint8Array>>,
  options: TestImport,
  what: string,
) => {
  const byRow = await imported(files, { ...options, bulkFromBytes: Infinity });
  const byColumn = await imported(files, { ...options, bulkFromBytes: 0 });
  const names = (of: typeof byRow) => JSON.stringify(of.reports).replaceAll(/\/[^" ]*\//g, '');
  assert.equal(names(byColumn), names(byRow), what);
  for (const part of ['rows', 'spans', 'trades', 'things', 'refused'] as const)
    assert.deepEqual(byColumn[part], byRow[part], `${part} of ${what}`);
  return byColumn;
};

const samples = [1, 100_000, 1_000_000] as const;
const rules = [undefined, 'shared', 'market', 'none'] as const;

describe('frames that are read by column', () => {
  for (const [venue, frames] of Object.entries({ kalshi: dirtyFrames, polymarket: dirtyChanges }))
    it(`of ${venue} give the same books, spans, report and refusals as frames that are parsed`, async () => {
      const catalogue = { 'gamma.jsonl': hourCatalogue(4) };
      let verified = 0;
      for (let seed = 1; seed <= 24; seed += 1) {
        const text = frames(seed, { rarely: seed % 3 === 0 ? 1_000 : 10 });
        const sequence = rules[seed % rules.length];
        const options = { sampleUs: samples[seed % samples.length] ?? 1, ...(sequence && { sequence }) };
        const { reports } = await assertBothWays({ ...catalogue, 'frames.jsonl': text }, options, `seed ${seed}`);
        verified += reports.at(-1)?.books?.verified ?? 0;
      }
      assert.equal(verified > 50, venue === 'polymarket', `${verified} verified`);
    });

  it('go on in the next file, and a file that ends early keeps what was read before', async () => {
    const lines = dirtyFrames(3, { frames: 3_000, rarely: 1_000 }).split('\n');
    const [first, second] = [lines.slice(0, 1_500).join('\n'), lines.slice(1_500).join('\n')];
    const parts = { 'a.jsonl.gz': gzipSync(first), 'b.jsonl.zst': zstdCompressSync(second) };
    await assertBothWays(parts, { sampleUs: 1_000_000 }, 'two files');
    for (const [name, bytes] of Object.entries(parts)) {
      const { reports, rows } = await assertBothWays({ [name]: bytes.subarray(0, -2_000) }, { sampleUs: 1 }, name);
      assert.ok(reports[0]?.error, name);
      assert.ok(name.endsWith('zst') || rows.size > 100, `${name}: ${rows.size} rows`);
    }
  });

  it('after a silence and with frames that come again are as certain as frames that are parsed', async () => {
    const [first = '', ...others] = dirtyFrames(5, { frames: 600, rarely: 10_000 }).trimEnd().split('\n');
    // The only row of this market is made at the end of the file, and is refused there.
    const lines = [first.replace('KXBTC15M-26FEB24-T0', `K${'X'.repeat(260)}`), ...others];
    const again = lines.flatMap((line, at) => (at % 7 === 0 ? [line, laterBy(line, 0.000_001)] : [line]));
    const changes = dirtyChanges(5, { frames: 600, rarely: 10_000 }).trimEnd().split('\n');
    const silent = changes.map((line, at) => laterBy(withoutHash(line), 700 * Math.floor(at / 50)));
    const hour = { 'gamma.jsonl': hourCatalogue(4), 'b.jsonl': silent.join('\n') };
    for (const sampleUs of samples) {
      await assertBothWays({ 'a.jsonl': [...lines, ...lines].join('\n') }, { sampleUs }, 'the same file');
      await assertBothWays({ 'a.jsonl': again.join('\n') }, { sampleUs }, 'frames again');
      await assertBothWays({ 'a.jsonl': lines.join('\n') }, { sampleUs, sequence: 'shared' }, 'its end');
      const { spans } = await assertBothWays(hour, { sampleUs, sequence: 'shared' }, 'a silence');
      assert.ok(Array.from(spans.values()).some(({ end_reason: why }) => why?.includes('silent')));
    }
  });
});

const withoutHash = (line: string): string => line.replaceAll(/(?<=hash\\":\\")\w+/g, 'x');

const laterBy = (line: string, seconds: number): string =>
  line.replace(/"recv_ts_ns":(\d+)/, (_, ns: string) => `"recv_ts_ns":${BigInt(ns) + BigInt(seconds * 1e9)}`);
