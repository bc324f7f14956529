import type { OperatorHistory } from '@almanac/client';
import { indexAt } from '../../charts/index-at.js';
import { bytes, count } from '../../format/numbers.js';

type Sample = OperatorHistory['samples'][number];

export interface FigureSeries {
  readonly name: string;
  readonly values: readonly (number | null)[];
  readonly last: number | null;
}

/** One chart of the operator's page. */
export interface Figure {
  readonly name: string;
  readonly title: string;
  readonly ts: readonly number[];
  readonly series: readonly FigureSeries[];
  readonly text: (value: number) => string;
  /** Sections of the runbook of alerts. */
  readonly alerts: readonly string[];
}

type Line = readonly [name: string, valueOf: (sample: Sample) => number | null];

/** More than two of them went missing: the line ends, because nobody knows what happened in between. */
const missedMax = 2.5;

/** What is drawn of the samples: a line for each value, which ends where samples are missing. */
export const figuresOf = ({ samples, every_s }: OperatorHistory): readonly Figure[] => {
  const points: readonly (Sample | number)[] = samples.flatMap((sample, at) => {
    const before = samples[at - 1];
    const isBreak = before !== undefined && sample.ts - before.ts > every_s * missedMax;
    return isBreak ? [before.ts + every_s, sample] : [sample];
  });
  const ts = points.map((point) => (typeof point === 'number' ? point : point.ts));
  const seriesOf = (lines: readonly Line[]): FigureSeries[] =>
    lines.map(([name, valueOf]) => {
      const values = points.map((point) => (typeof point === 'number' ? null : valueOf(point)));
      return { name, values, last: values.findLast((value) => value !== null) ?? null };
    });
  const services = [...new Set(samples.flatMap(({ memory_bytes }) => Object.keys(memory_bytes)))];
  const hasDisk = samples.some(({ disk_free_bytes }) => disk_free_bytes !== null);
  const figure = (given: Omit<Figure, 'ts' | 'series'>, lines: readonly Line[]): Figure => ({
    ...given,
    ts,
    series: seriesOf(lines),
  });
  return [
    figure({ name: 'requests', title: 'Requests', text: perSecond, alerts: ['AlmanacRequestsFail'] }, [
      ['answered', ({ requests, seconds }) => rate(requests, seconds)],
      ['of them failed (5xx)', ({ errors, seconds }) => rate(errors, seconds)],
    ]),
    figure({ name: 'p95', title: 'Duration', text: milliseconds, alerts: ['AlmanacHttpSlow'] }, [
      ['95 % of requests within', ({ p95_ms }) => p95_ms],
    ]),
    figure(
      { name: 'backlog', title: 'Backlog', text: count, alerts: ['AlmanacConsumerBehind', 'AlmanacDeadLetters'] },
      [
        ['waiting messages', ({ waiting }) => waiting],
        ['dead letters', ({ dead_letters }) => dead_letters],
      ],
    ),
    figure({ name: 'streams', title: 'Storage of NATS', text: bytes, alerts: ['AlmanacStreamFills'] }, [
      ['all streams', ({ stream_bytes }) => stream_bytes],
    ]),
    ...(hasDisk ? [diskOf(figure)] : []),
    figure(
      { name: 'memory', title: 'Memory', text: bytes, alerts: ['AlmanacMemoryGrows'] },
      services.map((service) => [service, ({ memory_bytes }) => memory_bytes[service] ?? null]),
    ),
  ];
};

const diskOf = (figure: (given: Omit<Figure, 'ts' | 'series'>, lines: readonly Line[]) => Figure): Figure =>
  figure({ name: 'disk', title: 'Disk', text: bytes, alerts: ['AlmanacNatsDiskFills', 'AlmanacClickHouseDiskFills'] }, [
    ['free', ({ disk_free_bytes }) => disk_free_bytes],
    ['size', ({ disk_bytes }) => disk_bytes],
  ]);

/** Of the first sample after a start, nothing is known of the time before it. */
const rate = (value: number, seconds: number): number | null => (seconds === 0 ? null : value / seconds);

const perSecond = (value: number): string => `${Number(value.toFixed(value < 10 ? 2 : 0))}/s`;

const milliseconds = (ms: number): string =>
  ms >= 1_000 ? `${Number((ms / 1_000).toFixed(1))} s` : `${Number(ms.toFixed(ms < 10 ? 1 : 0))} ms`;

/** The value that holds at a time. */
export const valueAtTime = (
  { ts }: Pick<Figure, 'ts'>,
  values: readonly (number | null)[],
  at: number,
): number | null => values[indexAt(ts, at)] ?? null;
