import type { BenchHarness } from './harness.js';
import type { BenchRow, Measured, Threshold } from './row.js';
import { services } from './service-starts.js';

export interface Figure {
  readonly value: number;
  /** What the ratio compares. */
  readonly relative: number;
}

/** Something that grows, and how everything about it is measured at each size. */
export interface Growth<F> {
  /** The beginning of the names of its rows. */
  readonly title: string;
  /** The smallest first, as in `7.2 M rows`. */
  readonly sizes: readonly string[];
  /** The figures at each size, once for all rows of a run. */
  readonly figuresOf: (harness: BenchHarness) => Promise<readonly F[]>;
}

export interface GrowthFigure<F> {
  readonly name: string;
  readonly figure: (figures: F) => Figure;
  readonly unit: string;
  readonly threshold?: Threshold;
}

/** A row that compares the largest size with the smallest. */
const growthRow = <F>(
  { title, sizes, figuresOf }: Growth<F>,
  { name, figure, unit, threshold }: GrowthFigure<F>,
): BenchRow => ({
  name: `${title}: ${name} at ${sizes.at(-1)}`,
  against: `at ${sizes[0]}`,
  threshold: threshold ?? null,
  unit,
  isLong: true,
  measure: async (harness): Promise<Measured> => {
    const figures = (await figuresOf(harness)).map(figure);
    const [first, last] = [figures[0], figures.at(-1)];
    if (first === undefined || last === undefined) throw new Error('no size was measured');
    const notes = figures.map(({ value }, at) => `${sizes[at]}: ${value.toFixed(1)} ${unit}`);
    const ratio = last.relative / first.relative;
    return { ours: last.value, reference: first.value, ratio, notes: [notes.join(', ')] };
  },
});

/** What is measured of each service at each size, by the name of the service. */
export interface ServiceFigures {
  readonly startMs: ReadonlyMap<string, number>;
  readonly memoryMb: ReadonlyMap<string, number>;
}

/** A start may take half as long again at the largest size. */
const serviceFigures: readonly GrowthFigure<ServiceFigures>[] = [
  ...services.map((name) => ({
    name: `start of ${name}`,
    figure: ({ startMs }: ServiceFigures) => plain(startMs.get(name)),
    unit: 'ms',
    threshold: { below: 1.5 },
  })),
  ...services.map((name) => ({
    name: `memory of ${name}`,
    figure: ({ memoryMb }: ServiceFigures) => plain(memoryMb.get(name)),
    unit: 'MB',
  })),
];

/** The rows of figures, then those of the services. */
export const rowsOfGrowth = <F extends ServiceFigures>(
  growth: Growth<F>,
  figures: readonly GrowthFigure<F>[],
): readonly BenchRow[] => [...figures, ...serviceFigures].map((figure) => growthRow(growth, figure));

export const plain = (value: number | undefined): Figure => ({
  value: value ?? Number.NaN,
  relative: value ?? Number.NaN,
});

/** Measures once for each run of the bench, however many rows need the figures. */
export const oncePerRun = <F>(
  measure: (harness: BenchHarness) => Promise<readonly F[]>,
): ((harness: BenchHarness) => Promise<readonly F[]>) => {
  const measured = new WeakMap<BenchHarness, Promise<readonly F[]>>();
  return (harness) => {
    const figures = measured.get(harness) ?? measure(harness);
    measured.set(harness, figures);
    return figures;
  };
};
