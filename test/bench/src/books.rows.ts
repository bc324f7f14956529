import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeBookRecording } from './book-recording.js';
import { comparePairs, type RunSide } from './pairs.js';
import { type BenchRow, type Measured, measuredPairs } from './row.js';
import type { BenchSize } from './size.js';
import { startWorker } from './worker.js';
import type { BenchHarness } from './harness.js';

const thresholdRate = 100_000;
const replayed = z.object({ changes: z.int(), cpuSeconds: z.number(), peakMb: z.number().default(0) });
type Replayed = z.output<typeof replayed>;

/** Runs work with a recording of this many turns. */
const withRecording = async <T>(
  { home, size }: BenchHarness,
  of: number,
  work: (folder: string) => Promise<T>,
): Promise<T> => {
  const folder = join(home, `books-${of}`);
  try {
    await writeBookRecording(folder, { turns: of, changesN: size.books.changesN });
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Replays in a separate process, so that its memory is that of this work alone. */
const replay = async (program: string, { home }: BenchHarness, folder: string): Promise<Replayed> => {
  const worker = startWorker(program);
  try {
    return await worker.send({ folder, refusedFolder: join(home, 'refused') }, replayed);
  } finally {
    await worker.stop();
  }
};

const rateOf = ({ changes, cpuSeconds }: Replayed): number => changes / cpuSeconds;

const againstParsing = (harness: BenchHarness): Promise<Measured> =>
  withRecording(harness, harness.size.books.turns, async (folder) => {
    const side =
      (program: string): RunSide =>
      async () => {
        const found = await replay(program, harness, folder);
        return { rate: rateOf(found), digest: found.changes };
      };
    const sides = { ours: side('replay-almanac'), reference: side('replay-reference') };
    return measuredPairs(await comparePairs(sides, harness.size.books.pairs));
  });

const changesASecond = (harness: BenchHarness): Promise<Measured> =>
  withRecording(harness, harness.size.books.turns, async (folder) => {
    const rates: number[] = [];
    for (let run = 0; run < harness.size.books.pairs; run += 1) {
      rates.push(rateOf(await replay('replay-almanac', harness, folder)));
    }
    const ours = Math.max(...rates);
    return {
      ours,
      reference: thresholdRate,
      ratio: ours / thresholdRate,
      notes: [rates.map((rate) => rate.toFixed(0)).join(' ')],
    };
  });

const memory = async (harness: BenchHarness): Promise<Measured> => {
  const { turns, manyTurns, changesN } = harness.size.books;
  const peakOf = (of: number): Promise<number> =>
    withRecording(harness, of, async (folder) => {
      const { changes, peakMb } = await replay('replay-almanac', harness, folder);
      if (changes !== of * changesN) throw new Error(`${changes} changes of ${of} turns were applied`);
      return peakMb;
    });
  const reference = await peakOf(turns);
  const ours = await peakOf(manyTurns);
  return { ours, reference, ratio: ours / reference, notes: [`${manyTurns} turns of ${changesN} changes`] };
};

export const booksRows = ({ books }: BenchSize): readonly BenchRow[] => [
  {
    name: 'replay of order books',
    against: 'gunzip and JSON.parse of the same lines',
    threshold: { atLeast: 0.33 },
    unit: 'changes per CPU second',
    measure: againstParsing,
  },
  {
    name: 'replay of order books, alone',
    against: 'what is owed on one core',
    threshold: { atLeast: 1 },
    unit: 'changes per CPU second',
    measure: changesASecond,
  },
  {
    name: `memory of a replay, ${books.manyTurns} turns`,
    against: `${books.turns} turns of the same recording`,
    threshold: { below: 2 },
    unit: 'MB',
    strict: true,
    measure: memory,
  },
];
