import { counter, perValue, processMetrics, withTimeout } from '@almanac/runtime';
import { Gauge } from 'prom-client';
import type { Bus } from '../bus.js';
import { openDeadLetters } from './dead-letters.js';
import { deadLetterStream } from '../names.js';
import { rawJetStream } from '../connection/raw-jetstream.js';

const deliveries = counter(
  'almanac_consumer_deliveries_total',
  'deliveries by outcome: done, retry (delivered again later) or dead (stored as a dead letter)',
  ['consumer', 'outcome'],
);

const redeliveries = counter(
  'almanac_consumer_redeliveries_total',
  'deliveries of messages that were delivered before',
  ['consumer'],
);

const infoFailures = counter(
  'almanac_consumer_info_failures_total',
  'requests for the state of a consumer that NATS did not answer in time; its gauges are absent meanwhile',
);

const deliveriesOf = perValue((consumer: string) =>
  perValue((outcome: DeliveryOutcome) => deliveries.labels(consumer, outcome)),
);
const redeliveriesOf = perValue((consumer: string) => redeliveries.labels(consumer));

export type DeliveryOutcome = 'done' | 'retry' | 'dead';

export const countDeliveryOutcome = (consumer: string, outcome: DeliveryOutcome, count = 1): void =>
  deliveriesOf(consumer)(outcome).inc(count);

/** `deliveryCount` counts from 1. */
export const countDelivery = (consumer: string, deliveryCount: number): void => {
  if (deliveryCount > 1) redeliveriesOf(consumer).inc();
};

interface Watched {
  readonly bus: Bus;
  readonly stream: string;
  readonly consumer: string;
}

const watched = new Map<string, Watched>();

/** Adds the state of a durable consumer to the metrics of this process, until its connection closes. */
export const watchConsumer = (bus: Bus, stream: string, consumer: string): void =>
  void watched.set(`${stream} ${consumer}`, { bus, stream, consumer });

const watchedStreams = new Map<string, Bus>();

/** Adds the size of a stream to the metrics of this process, which owns it, until its connection closes. */
export const watchStream = (bus: Bus, stream: string): void => void watchedStreams.set(stream, bus);

/** Several scrapers and the operator's status query share one request to the server. */
const cacheMs = 5_000;
/** Well below the 10 s of a scrape, so that all other metrics appear while NATS is unavailable. */
const infoTimeoutMs = 2_000;

let refreshing: Promise<void> | undefined;
let refreshedAt = 0;

/**
 * Only the server knows the number of pending messages. The count in a delivery would become stale in a process that
 * receives no more or hangs. All gauges share one request.
 */
const refreshOnce = (): Promise<void> => {
  if (refreshing === undefined || performance.now() - refreshedAt > cacheMs) {
    refreshedAt = performance.now();
    refreshing = refresh();
  }
  return refreshing;
};

const ofConsumer = ['stream', 'consumer'];
const ofStream = ['stream'];
const gauge = (name: string, help: string, labelNames: string[]) =>
  new Gauge({ name, help, labelNames, registers: [processMetrics], collect: () => refreshOnce() });

const pending = gauge(
  'almanac_consumer_pending',
  'messages of the stream that the consumer has not delivered yet',
  ofConsumer,
);
const ackPending = gauge(
  'almanac_consumer_ack_pending',
  'messages that were delivered and not yet acknowledged',
  ofConsumer,
);

const deadLetters = gauge('almanac_dead_letters', 'dead letters of consumers that wait for the operator', ofStream);
const unreadableEvents = gauge(
  'almanac_unreadable_events',
  'messages of event streams that are no event and that no operator has acknowledged',
  ofStream,
);
const streamBytes = gauge('almanac_stream_bytes', 'bytes of the stream at one server', ofStream);
const streamLimits = gauge('almanac_stream_limit_bytes', 'storage limit of the stream; absent without one', ofStream);
const missingReplicas = gauge(
  'almanac_stream_replicas_missing',
  'copies of the stream that are offline, or lack its newest messages',
  ofStream,
);
const gauges = [pending, ackPending, deadLetters, unreadableEvents, streamBytes, streamLimits, missingReplicas];

const refresh = async (): Promise<void> => {
  for (const [key, { bus }] of watched) if (bus.nc.isClosed()) watched.delete(key);
  for (const [stream, bus] of watchedStreams) if (bus.nc.isClosed()) watchedStreams.delete(stream);
  for (const one of gauges) one.reset();
  const consumers = [...watched.values()];
  const buses = new Set(consumers.map(({ bus }) => bus));
  await Promise.all([
    ...consumers.map(updateConsumerGauges),
    ...Array.from(buses, updateDeadLetterGauge),
    ...Array.from(watchedStreams, updateStreamGauges),
  ]);
};

const updateStreamGauges = async ([stream, bus]: [string, Bus]): Promise<void> => {
  const info = await inTime(bus[rawJetStream].jsm.streams.info(stream));
  if (info === undefined) return;
  streamBytes.set({ stream }, info.state.bytes);
  if (info.config.max_bytes > 0) streamLimits.set({ stream }, info.config.max_bytes);
  // Beside its leader, which has answered.
  const present = (info.cluster?.replicas ?? []).filter(({ current, offline }) => current && !(offline ?? false));
  missingReplicas.set({ stream }, info.config.num_replicas - 1 - present.length);
};

const updateConsumerGauges = async ({ bus, stream, consumer }: Watched): Promise<void> => {
  const info = await inTime(bus[rawJetStream].jsm.consumers.info(stream, consumer));
  if (info === undefined) return;
  pending.set({ stream, consumer }, info.num_pending);
  ackPending.set({ stream, consumer }, info.num_ack_pending);
};

const updateDeadLetterGauge = async (bus: Bus): Promise<void> => {
  const open = await inTime(openDeadLetters(bus));
  if (open === undefined) return;
  deadLetters.set({ stream: deadLetterStream }, sumOf(open.ofConsumers));
  unreadableEvents.set({ stream: deadLetterStream }, open.unreadable.size);
};

const sumOf = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, one) => sum + one, 0);

/** A scrape must not fail because NATS does not answer. The gauges are omitted and the failure is counted. */
const inTime = async <T>(answer: Promise<T>): Promise<T | undefined> => {
  try {
    const info = await withTimeout(infoTimeoutMs, answer, () => undefined);
    if (info === undefined) infoFailures.inc();
    return info;
  } catch {
    infoFailures.inc();
    return undefined;
  }
};
