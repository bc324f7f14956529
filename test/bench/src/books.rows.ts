import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { comparePairs, type RunSide } from './pairs.js';
import { writeBookRecording } from './recordings.js';
import { type BenchEntry, type BenchFolder, type Measured, measuredAgainst } from './row.js';
import type { BenchSize } from './size.js';
import { withWorker } from './worker.js';

const replayed = z.object({ changes: z.int(), cpuSeconds: z.number(), peakMb: z.number().default(0) });
type Replayed = z.output<typeof replayed>;

/** Runs work with a recording of this many turns, which replays it in a process of its own. */
const withRecording = async <T>(
  { home, size }: BenchFolder,
  turns: number,
  work: (replay: (program: string) => Promise<Replayed>) => Promise<T>,
): Promise<T> => {
  const folder = join(home, `books-${turns}`);
  try {
    await writeBookRecording(folder, { turns, changesN: size.books.changesN });
    return await work((program) =>
      withWorker(program, (worker) => worker.send({ folder, refusedFolder: join(home, 'refused') }, replayed)),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const againstParsing = (bench: BenchFolder): Promise<Measured> =>
  withRecording(bench, bench.size.books.turns, (replay) => {
    const side =
      (program: string): RunSide =>
      async () => {
        const { changes, cpuSeconds } = await replay(program);
        return { rate: changes / cpuSeconds, digest: changes };
      };
    const sides = { ours: side('replay-almanac'), reference: side('replay-reference') };
    return comparePairs(sides, bench.size.books.pairs);
  });

const memory = async (bench: BenchFolder): Promise<Measured> => {
  const { turns, manyTurns, changesN } = bench.size.books;
  const peakOf = (of: number): Promise<number> =>
    withRecording(bench, of, async (replay) => {
      const { changes, peakMb } = await replay('replay-almanac');
      if (changes !== of * changesN) throw new Error(`${changes} changes of ${of} turns were applied`);
      return peakMb;
    });
  const reference = await peakOf(turns);
  return measuredAgainst(await peakOf(manyTurns), reference, `${manyTurns} turns of ${changesN} changes`);
};

export const booksRows = ({ books }: BenchSize): readonly BenchEntry[] => [
  {
    name: 'replay of order books',
    shows: 'What the rebuild of books costs in the importer, without an archive.',
    against: 'gunzip and JSON.parse of the same lines',
    threshold: { atLeast: 0.33 },
    unit: 'changes per CPU second',
    isAlone: true,
    measure: againstParsing,
  },
  {
    name: `memory of a replay, ${books.manyTurns} turns`,
    gain: 'The memory of an import does not grow with the recording, so a small machine imports any.',
    against: `${books.turns} turns of the same recording`,
    threshold: { below: 2 },
    unit: 'MB',
    strict: true,
    isAlone: true,
    measure: memory,
  },
];
