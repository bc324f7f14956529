import type { ProcessStatus } from '@almanac/contracts';
import { sumOfSamples } from '@almanac/runtime';

export interface Figures {
  readonly requests: {
    readonly per_s: number;
    readonly failed_per_s: number;
    readonly mean_ms: number;
    readonly running: number;
  };
  /** Null `hit_share`: no request could use the cache. */
  readonly cache: { readonly hit_share: number | null; readonly bytes: number };
  readonly calls: { readonly per_s: number; readonly running: number };
  readonly clickhouse_queries_per_s: number;
  readonly exports: { readonly waiting: number; readonly running: number; readonly ready_per_s: number };
  readonly reservations_open: number;
  readonly checkouts_open: number;
  readonly dead_letters: number;
  readonly consumers: readonly ConsumerFigures[];
}

interface ConsumerFigures {
  readonly consumer: string;
  readonly waiting: number;
  readonly at_work: number;
  readonly done_per_s: number;
}

type Labels = Readonly<Record<string, string>>;

/** Rates and gauges from two queries of all processes. */
export const figuresOf = (before: readonly ProcessStatus[], now: readonly ProcessStatus[]): Figures => {
  const rate = (name: string, labels?: Labels): number => rateOf(before, now, { name, labels });
  const all = now.flatMap(({ samples }) => samples);
  const gauge = (name: string): number => sumOfSamples(all, name) ?? 0;
  /** A value that is the same in every process that reports it. */
  const shared = (name: string): number => Math.max(0, ...all.flatMap((one) => (one.name === name ? [one.value] : [])));
  const answered = rate('almanac_http_request_seconds_count');
  const seconds = rate('almanac_http_request_seconds_sum');
  const failures = ['500', '502', '503', '504'].map((code) => rate('almanac_http_requests_total', { status: code }));
  const hits = rate('almanac_cache_answers_total', { outcome: 'hit' });
  const cacheable = hits + rate('almanac_cache_answers_total', { outcome: 'miss' });
  return {
    requests: {
      per_s: answered,
      failed_per_s: failures.reduce((sum, one) => sum + one, 0),
      mean_ms: answered === 0 ? 0 : (seconds / answered) * 1_000,
      running: gauge('almanac_http_requests_in_flight'),
    },
    cache: { hit_share: cacheable === 0 ? null : hits / cacheable, bytes: gauge('almanac_cache_bytes') },
    calls: { per_s: rate('almanac_rpc_requests_total'), running: gauge('almanac_rpc_requests_in_flight') },
    clickhouse_queries_per_s: rate('almanac_clickhouse_queries_total'),
    exports: {
      waiting: waitingFor(now, 'export-workers') + gauge('almanac_export_files_waiting'),
      running: gauge('almanac_export_files_running'),
      ready_per_s: rate('almanac_export_files_total', { outcome: 'ready' }),
    },
    reservations_open: shared('almanac_reservations_open'),
    checkouts_open: shared('almanac_checkouts_open'),
    dead_letters: shared('almanac_dead_letters') + shared('almanac_unreadable_events'),
    consumers: consumersOf(now).map((consumer) => ({
      consumer,
      waiting: waitingFor(now, consumer),
      at_work: stateOf(now, 'almanac_consumer_ack_pending', consumer),
      done_per_s: rate('almanac_consumer_deliveries_total', { consumer, outcome: 'done' }),
    })),
  };
};

/** The figures without the consumers, as a name and a text each. */
export const figureLines = (figures: Figures): [string, string][] => {
  const { requests, cache, calls, exports } = figures;
  const share = cache.hit_share === null ? '-' : `${Math.round(100 * cache.hit_share)} %`;
  return [
    [
      'Requests',
      `${perSecond(requests.per_s)}, ${perSecond(requests.failed_per_s)} of them 5xx, ${requests.mean_ms.toFixed(1)} ms each, ${requests.running} in flight`,
    ],
    ['Cache hits', `${share}, ${megabytes(cache.bytes)} in memory`],
    ['Calls', `${perSecond(calls.per_s)}, ${calls.running} in flight`],
    ['ClickHouse', `${perSecond(figures.clickhouse_queries_per_s)} queries`],
    ['Exports', `${exports.waiting} waiting, ${exports.running} running, ${perSecond(exports.ready_per_s)} ready`],
    ['Money', `${figures.reservations_open} grants reserved, ${figures.checkouts_open} checkouts open`],
    ['Dead letters', String(figures.dead_letters)],
  ];
};

/** Summed over the processes in both queries. A restarted process counts from its start. */
const rateOf = (
  before: readonly ProcessStatus[],
  now: readonly ProcessStatus[],
  { name, labels }: { name: string; labels: Labels | undefined },
): number => {
  let rate = 0;
  for (const one of now) {
    const earlier = before.find(({ service, instance }) => service === one.service && instance === one.instance);
    if (earlier === undefined) continue;
    const seconds = (one.now_us - earlier.now_us) / 1e6;
    const grown = (sumOfSamples(one.samples, name, labels) ?? 0) - (sumOfSamples(earlier.samples, name, labels) ?? 0);
    if (seconds > 0 && grown > 0) rate += grown / seconds;
  }
  return rate;
};

const consumersOf = (now: readonly ProcessStatus[]): string[] => {
  const samples = now.flatMap((one) => one.samples).filter(({ name }) => name === 'almanac_consumer_pending');
  return [...new Set(samples.flatMap(({ labels }) => labels['consumer'] ?? []))].toSorted();
};

const waitingFor = (now: readonly ProcessStatus[], consumer: string): number =>
  stateOf(now, 'almanac_consumer_pending', consumer);

/** Every process of a service reports the same value for a consumer, a few seconds old. */
const stateOf = (now: readonly ProcessStatus[], name: string, consumer: string): number =>
  Math.max(0, ...now.map(({ samples }) => sumOfSamples(samples, name, { consumer }) ?? 0));

const perSecond = (rate: number): string => `${rate.toFixed(1)}/s`;
const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`;
