import type { ProcessStatus } from '@almanac/contracts';
import { sumOfSamples } from '@almanac/runtime';

export interface Figures {
  readonly lines: readonly { readonly what: string; readonly text: string }[];
  readonly consumers: readonly ConsumerFigures[];
}

interface ConsumerFigures {
  readonly consumer: string;
  readonly waiting: number;
  readonly atWork: number;
  readonly perSecond: number;
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
  const meanMs = answered === 0 ? 0 : (rate('almanac_http_request_seconds_sum') / answered) * 1_000;
  const failed = ['500', '502', '503', '504'].reduce(
    (sum, code) => sum + rate('almanac_http_requests_total', { status: code }),
    0,
  );
  const [hits, misses] = ['hit', 'miss'].map((outcome) => rate('almanac_cache_answers_total', { outcome }));
  const requests = (hits ?? 0) + (misses ?? 0);
  const share = requests === 0 ? '-' : `${Math.round((100 * (hits ?? 0)) / requests)} %`;
  const calls = rate('almanac_rpc_requests_total');
  return {
    lines: [
      {
        what: 'Requests',
        text: `${perSecond(answered)}, ${perSecond(failed)} of them 5xx, ${meanMs.toFixed(1)} ms each, ${gauge('almanac_http_requests_in_flight')} in flight`,
      },
      { what: 'Cache hits', text: `${share}, ${megabytes(gauge('almanac_cache_bytes'))} in memory` },
      { what: 'Calls', text: `${perSecond(calls)}, ${gauge('almanac_rpc_requests_in_flight')} in flight` },
      { what: 'ClickHouse', text: `${perSecond(rate('almanac_clickhouse_queries_total'))} queries` },
      {
        what: 'Exports',
        text: `${waitingFor(now, 'export-workers')} waiting, ${gauge('almanac_export_files_running')} running, ${perSecond(rate('almanac_export_files_total', { outcome: 'ready' }))} ready`,
      },
      {
        what: 'Money',
        text: `${shared('almanac_reservations_open')} grants reserved, ${shared('almanac_checkouts_open')} checkouts open`,
      },
      { what: 'Dead letters', text: String(shared('almanac_dead_letters')) },
    ],
    consumers: consumersOf(now).map((consumer) => ({
      consumer,
      waiting: waitingFor(now, consumer),
      atWork: stateOf(now, 'almanac_consumer_ack_pending', consumer),
      perSecond: rate('almanac_consumer_deliveries_total', { consumer, outcome: 'done' }),
    })),
  };
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
