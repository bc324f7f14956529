import type { OperatorSample, ProcessStatus, StreamsStatus } from '@almanac/contracts';
import { type DiskSpace, sumOfSamples } from '@almanac/runtime';

/** What a process has counted since its start. */
export interface Counts {
  readonly requests: number;
  readonly errors: number;
  /** Answers by the upper bound of their seconds, each with those of the bounds below it. */
  readonly buckets: ReadonlyMap<number, number>;
}

/** The counts of the gateways at the time of a sample, by instance. */
export interface CountedAt {
  readonly ts: number;
  readonly counts: ReadonlyMap<string, Counts>;
}

export interface Reports {
  readonly ts: number;
  readonly processes: readonly ProcessStatus[];
  readonly streams: Pick<StreamsStatus, 'streams' | 'consumers' | 'dead_letters'>;
  readonly disk: Pick<DiskSpace, 'freeBytes' | 'totalBytes'> | undefined;
}

/** What the system did since the sample before, and how it is now. */
export const takeSample = (
  { ts, processes, streams, disk }: Reports,
  before: CountedAt | undefined,
): { readonly sample: OperatorSample; readonly counted: CountedAt } => {
  const gateways = processes.filter(({ service }) => service === 'gateway');
  const counted = { ts, counts: new Map(gateways.map((one) => [one.instance, countsOf(one)])) };
  const grown = gateways.map((one) => grownOf(one, counted, before));
  return {
    counted,
    sample: {
      ts,
      seconds: before === undefined ? 0 : ts - before.ts,
      requests: sumOf(grown.map(({ requests }) => requests)),
      errors: sumOf(grown.map(({ errors }) => errors)),
      p95_ms: quantileMs(0.95, merged(grown.map(({ buckets }) => buckets))),
      waiting: sumOf(streams.consumers.map(({ waiting }) => waiting)),
      dead_letters: sumOf(streams.dead_letters.map(({ count }) => count)),
      stream_bytes: sumOf(streams.streams.map(({ bytes }) => bytes)),
      disk_free_bytes: disk?.freeBytes ?? null,
      disk_bytes: disk?.totalBytes ?? null,
      memory_bytes: memoryOf(processes),
    },
  };
};

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const countsOf = ({ samples }: ProcessStatus): Counts => ({
  requests: sumOfSamples(samples, 'almanac_http_requests_total') ?? 0,
  errors: sumOf(
    samples
      .filter(
        ({ name, labels }) => name === 'almanac_http_requests_total' && labels['status']?.startsWith('5') === true,
      )
      .map(({ value }) => value),
  ),
  buckets: new Map(
    samples
      .filter(({ name }) => name === 'almanac_http_answer_seconds_bucket')
      .map(({ labels, value }) => [labels['le'] === '+Inf' ? Infinity : Number(labels['le']), value]),
  ),
});

const nothing: Counts = { requests: 0, errors: 0, buckets: new Map() };

/** A process that has started since counts from zero. Of one that did not answer the last time, nothing is known. */
const grownOf = (
  { instance, started_us }: ProcessStatus,
  { counts }: CountedAt,
  before: CountedAt | undefined,
): Counts => {
  const now = counts.get(instance) ?? nothing;
  const earlier = before?.counts.get(instance);
  if (before === undefined) return nothing;
  if (earlier === undefined) return started_us / 1e6 >= before.ts ? now : nothing;
  if (now.requests < earlier.requests) return now;
  return {
    requests: now.requests - earlier.requests,
    errors: now.errors - earlier.errors,
    buckets: new Map([...now.buckets].map(([bound, value]) => [bound, value - (earlier.buckets.get(bound) ?? 0)])),
  };
};

const merged = (all: readonly Counts['buckets'][]): Counts['buckets'] => {
  const sums = new Map<number, number>();
  for (const buckets of all) for (const [bound, value] of buckets) sums.set(bound, (sums.get(bound) ?? 0) + value);
  return sums;
};

/** As Prometheus computes it: linear within a bucket. Null without an answer. */
export const quantileMs = (share: number, buckets: Counts['buckets']): number | null => {
  const bounds = [...buckets].toSorted(([one], [other]) => one - other);
  const rank = share * (bounds.at(-1)?.[1] ?? 0);
  if (rank === 0) return null;
  const at = bounds.findIndex(([, value]) => value >= rank);
  const [bound = 0, value = 0] = bounds[at] ?? [];
  const [low, below] = bounds[at - 1] ?? [0, 0];
  const seconds = Number.isFinite(bound) ? low + ((rank - below) / (value - below)) * (bound - low) : low;
  return Math.round(seconds * 1e6) / 1e3;
};

const memoryOf = (processes: readonly ProcessStatus[]): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const { service, memory_bytes } of processes) sums[service] = (sums[service] ?? 0) + (memory_bytes ?? 0);
  return sums;
};
