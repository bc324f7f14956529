import { type BenchEntry, measuredAgainst } from './row.js';

const mostMb = 300;
const bounded = ['gateway', 'timeseries'];

/** The peak memory since the start of the system, including earlier rows: this row comes last. */
export const memoryRows: readonly BenchEntry[] = [
  {
    name: 'memory of gateway and timeseries, the larger at most',
    gain: 'An operator can give each process of these services a fixed memory, whatever users read.',
    against: 'what is allowed for each',
    threshold: { below: 1 },
    unit: 'MB',
    strict: true,
    measure: async (harness) => {
      const found = (await harness.memory()).filter(({ name }) => bounded.includes(name));
      if (found.length < bounded.length) throw new Error('one of the services does not run');
      const notes = found.map(({ name, nowMb, mostMb: most }) => `${name} ${most} MB at most, ${nowMb} MB now`);
      return measuredAgainst(Math.max(...found.map(({ mostMb: most }) => most)), mostMb, ...notes);
    },
  },
];
