import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type CoverageGap, coverageOf, everyChangeUs } from '@almanac/contracts';
import { kalshiFrames, writeKalshiSession } from '@almanac/recordings';
import { seededRandom } from '@almanac/testing';
import { importPath } from '../testing/import-files.js';
import type { MemoryArchive } from '../testing/memory-archive.js';

/** A line of a recording. `ticker` is null unless it is about a book. */
interface Line {
  readonly file: string;
  readonly text: string;
  readonly us: number;
  readonly ticker: string | null;
  readonly isSnapshot: boolean;
}

interface Life {
  readonly openUs: number;
  readonly closeUs: number;
}

type Interval = readonly [startUs: number, endUs: number];

const second = 1_000_000;
const runs = 16;

/**
 * The simplest ledger: it sees every message of a subscription, so it knows what is missing. A book is known from a
 * snapshot to the last message of its subscription before a removed one of its own.
 */
const missingIn = (
  subscription: readonly Line[],
  isRemoved: (line: Line) => boolean,
  { ticker, life: { openUs, closeUs } }: { ticker: string; life: Life },
): Interval[] => {
  const missing: Interval[] = [];
  let unknownSinceUs: number | null = openUs;
  let lastUs = openUs;
  for (const line of subscription) {
    const isOwn = line.ticker === ticker;
    if (isRemoved(line)) {
      if (isOwn) unknownSinceUs ??= lastUs;
      continue;
    }
    if (isOwn && line.isSnapshot && unknownSinceUs !== null) {
      missing.push([unknownSinceUs, line.us]);
      unknownSinceUs = null;
    }
    lastUs = line.us;
  }
  return [...missing, [unknownSinceUs ?? lastUs, closeUs] as const]
    .map(([from, to]) => [Math.max(from, openUs), Math.min(to, closeUs)] as const)
    .filter(([from, to]) => to > from);
};

const declaredFor = ({ spans }: Pick<MemoryArchive, 'spans'>, ticker: string, life: Life): readonly CoverageGap[] =>
  coverageOf(
    Array.from(spans.values()).filter((span) => span.ticker === ticker),
    { ...life, firstUs: null, lastUs: null, nowUs: Number.MAX_SAFE_INTEGER },
  ).gaps;

const lengthOf = (gaps: readonly CoverageGap[]): number =>
  gaps.reduce((sum, { startUs, endUs }) => sum + (endUs ?? startUs) - startUs, 0);

/** Removes single lines, a stretch of lines, or the end, of all files or of one. */
const removal = (random: () => number, lines: readonly Line[]): ((line: Line) => boolean) => {
  const share = random() ** 3;
  const from = Math.floor(random() * lines.length);
  const to = random() < 0.3 ? lines.length : from + Math.floor((random() * lines.length) / 4);
  const file = random() < 0.5 ? null : (lines[from]?.file ?? null);
  const removed = new Set(
    lines.filter(
      (line, at) =>
        (file === null || line.file === file) &&
        (random() < share * 0.05 || (random() < 0.97 && at >= from && at < to)),
    ),
  );
  return (line) => removed.has(line);
};

/** A whole recording, with what the archive has after its import at each interval. */
const imported = async (path: string) => {
  const found = new Map<number, MemoryArchive>();
  for (const sampleUs of [everyChangeUs, second]) found.set(sampleUs, await importPath(path, { sampleUs }));
  return { path, found };
};

/** What the archive has of a recording without some of its lines, and again after the whole one was imported. */
const assertHeals = async (
  { whole, damaged }: { whole: Awaited<ReturnType<typeof imported>>; damaged: string },
  lives: ReadonlyMap<string, Life>,
  check: (archive: Pick<MemoryArchive, 'spans'>) => void,
): Promise<void> => {
  for (const [sampleUs, expected] of whole.found) {
    const into = await importPath(damaged, { sampleUs });
    check(into);
    const healed = await importPath(whole.path, { sampleUs, into });
    assert.deepStrictEqual(healed.rows, expected.rows, healed.report.file);
    // A recording that is cut in its last interval can prove a quiet market complete for longer than the whole one, where
    // a change of that interval follows.
    const cutUs = sampleUs === everyChangeUs ? 0 : 2 * sampleUs;
    for (const [ticker, { openUs, closeUs }] of lives) {
      const life = { openUs, closeUs: closeUs - cutUs };
      assert.deepStrictEqual(declaredFor(healed, ticker, life), declaredFor(expected, ticker, life), ticker);
    }
  }
};

const assertDeclared = (
  archive: Pick<MemoryArchive, 'spans'>,
  { ticker, life, missing }: { ticker: string; life: Life; missing: readonly Interval[] },
): void => {
  const gaps = declaredFor(archive, ticker, life);
  for (const [fromUs, toUs] of missing) {
    // Gaps with different reasons follow each other without a space.
    const untilUs = gaps.reduce((us, { startUs, endUs }) => (startUs <= us ? Math.max(us, endUs ?? us) : us), fromUs);
    assert.ok(untilUs >= toUs, `${ticker}: ${fromUs} to ${toUs} is not in ${JSON.stringify(gaps)}`);
  }
  const missingUs = missing.reduce((sum, [from, to]) => sum + to - from, 0);
  assert.ok(lengthOf(gaps) >= missingUs);
};

describe('a recording without some of its lines declares at least what is missing, and heals', () => {
  let home = '';
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'almanac-removed-'));
  });
  after(() => rm(home, { recursive: true, force: true }));

  it("a recorder's folder", async () => {
    const closeS = 1_778_764_500;
    const options = { seed: 3, closeS, changes: 240, changesAfterRotation: 80, levels: 12, trades: 20 };
    const session = await writeKalshiSession(join(home, 'session'), options);
    const lines = await linesOf(session.folder);
    const whole = await imported(session.folder);
    const lives = new Map(
      session.markets.map((market) => [
        market.ticker,
        { openUs: (market.closeS - 900) * second, closeUs: market.closeS * second },
      ]),
    );
    for (let run = 0; run < runs; run += 1) {
      const isRemoved = removal(seededRandom(run), lines);
      const damaged = join(home, `session-${run}`);
      await writeLines(
        damaged,
        lines.filter((line) => !isRemoved(line)),
      );
      await assertHeals({ whole, damaged }, lives, (archive) => {
        for (const [ticker, life] of lives) {
          // The recorder has a subscription for each market.
          const subscription = lines.filter((line) => line.ticker === ticker);
          assertDeclared(archive, { ticker, life, missing: missingIn(subscription, isRemoved, { ticker, life }) });
        }
      });
    }
  });

  it('frames of several markets on one subscription', async () => {
    const { text, tickers } = kalshiFrames({ seed: 5, markets: 4, changes: 120, levels: 6, startS: 1_763_700_000 });
    const lines = framesIn(text);
    const life = { openUs: lines[0]?.us ?? 0, closeUs: lines.at(-1)?.us ?? 0 };
    const lives = new Map(tickers.map((ticker) => [ticker, life]));
    const path = join(home, 'frames.jsonl');
    await writeFile(path, text);
    const whole = await imported(path);
    for (let run = 0; run < runs; run += 1) {
      const isRemoved = removal(seededRandom(1_000 + run), lines);
      const damaged = join(home, `frames-${run}.jsonl`);
      const rest = lines.filter((line) => !isRemoved(line));
      if (rest.length === 0) continue;
      await writeFile(damaged, `${rest.map((line) => line.text).join('\n')}\n`);
      await assertHeals({ whole, damaged }, lives, (archive) => {
        const subscription = lines.filter((line) => line.ticker !== null);
        for (const ticker of tickers)
          assertDeclared(archive, { ticker, life, missing: missingIn(subscription, isRemoved, { ticker, life }) });
      });
    }
  });
});

/** All lines of a recorder's folder in the order of their receipt. */
const linesOf = async (folder: string): Promise<readonly Line[]> => {
  const lines: Line[] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith('.ndjson.gz') || name.startsWith('spot')) continue;
    const text = gunzipSync(await readFile(join(folder, name))).toString('utf8');
    for (const line of text.split('\n').filter((each) => each !== '')) {
      const us = Number(/"local_recv_ns":(\d+)\d{3}/.exec(line)?.[1]);
      const isSnapshot = name.includes('type=orderbook_snapshot');
      const isBook = isSnapshot || name.includes('type=orderbook_delta');
      const ticker = isBook ? (/"market_ticker":"([^"]+)"/.exec(line)?.[1] ?? null) : null;
      lines.push({ file: name, text: line, us, ticker, isSnapshot });
    }
  }
  return lines.toSorted((a, b) => a.us - b.us);
};

const writeLines = async (folder: string, lines: readonly Line[]): Promise<void> => {
  await mkdir(join(folder, 'raw_events'), { recursive: true });
  for (const [file, its] of Map.groupBy(lines, (line) => line.file)) {
    const path = join(folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, gzipSync(its.map(({ text }) => `${text}\n`).join('')));
  }
};

const framesIn = (text: string): readonly Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const isSnapshot = line.includes('orderbook_snapshot');
      const ticker = /market_ticker\\":\\"([^"\\]+)/.exec(line)?.[1] ?? null;
      const isBook = isSnapshot || line.includes(String.raw`\"type\":\"orderbook_delta\"`);
      const us = Number(/"recv_ts_ns": (\d+)\d{3}/.exec(line)?.[1]);
      return { file: 'frames', text: line, us, ticker: isBook ? ticker : null, isSnapshot };
    });
