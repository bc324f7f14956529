import type { BenchRow } from './row.js';

const mostMb = 300;

/** The peak memory of each process since its start, including earlier rows: these rows come last. */
export const memoryRows: readonly BenchRow[] = ['gateway', 'timeseries'].map((name) => ({
  name: `memory of ${name} at most`,
  against: 'what is allowed',
  threshold: { below: 1 },
  unit: 'MB',
  strict: true,
  measure: async (harness) => {
    const found = (await harness.memory()).find((one) => one.name === name);
    if (found === undefined) throw new Error(`${name} does not run`);
    return { ours: found.mostMb, reference: mostMb, ratio: found.mostMb / mostMb, notes: [`${found.nowMb} MB now`] };
  },
}));
