import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findBinary } from '@almanac/local';
import { z } from 'zod';
import { median } from './pairs.js';
import type { BenchRow, Measured } from './row.js';
import { type BenchSize, inWords } from './size.js';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('../../../clients/python/', import.meta.url));
const rowsMeasured = 100_000;
const rowsOfSmoke = 2_000;
/** What `replay` of bench.py has as its reference. */
const replayRate = 200_000;

const measured = z.object({ ours: z.number(), reference: z.number(), ratios: z.array(z.number()) });

/** Python compares in one process, on CPU time, so that the start of Python does not count. */
const measure = async (name: 'table' | 'replay', rows: number): Promise<Measured> => {
  const env = { ...process.env, PYTHONPATH: `${folder}src`, PYTHONDONTWRITEBYTECODE: '1' };
  const args = ['bench.py', String(rows), name];
  const { stdout } = await run(await findBinary('python/python3'), args, { cwd: folder, env, timeout: 280_000 });
  const { ours, reference, ratios } = measured.parse(JSON.parse(stdout));
  return { ours, reference, ratio: median(ratios), notes: [ratios.map((ratio) => ratio.toFixed(2)).join(' ')] };
};

export const pythonRows = ({ isMeasurement }: BenchSize): readonly BenchRow[] => {
  const rows = isMeasurement ? rowsMeasured : rowsOfSmoke;
  return [
    {
      name: `Python client, to_df of ${inWords(rows)} rows`,
      against: 'pandas.read_csv of the same answer',
      threshold: { atLeast: 0.6 },
      unit: 'rows/s',
      measure: () => measure('table', rows),
    },
    {
      name: `Python client, replay of 10 markets with ${inWords(rows)} rows each`,
      against: `${inWords(replayRate)} rows/s`,
      threshold: { atLeast: 1 },
      unit: 'rows/s',
      measure: () => measure('replay', rows),
    },
  ];
};
