import type { StreamName } from '@almanac/contracts';
import {
  AckPolicy,
  type Consumer,
  type ConsumerConfig,
  DeliverPolicy,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { z } from 'zod';
import { type Bus, isConsumerNotFound } from './bus.js';
import { countDeliveryOutcome, watchConsumer } from './consumer-metrics.js';
import { patterns, subjects } from './names.js';
import { longTimeoutClients } from './long-timeout-clients.js';
import { publishStored } from './storage-capacity.js';
import { awaitStream } from './streams.js';
import { requestContextHeaders } from './trace-propagation.js';

export interface DurableOptions<State> {
  readonly stream: StreamName;
  /** The durable's name: its position is shared by all processes that use it. */
  readonly durable: string;
  /** One subject pattern (2.9 knows no more); all of the stream by default. */
  readonly filter?: string;
  readonly state: z.ZodType<State>;
  /** How long one delivery may take before another process gets it; a long one calls `working`. */
  readonly ackWaitMs?: number;
  /** Deliveries before a message is taken aside. */
  readonly deliveriesMax?: number;
  /**
   * Called for each failed delivery, with what happens next; a failure to get messages at all has the pattern as its
   * subject and sequence 0.
   */
  readonly onFailure: (error: unknown, message: { subject: string; seq: number }, next: 'retry' | 'dead') => void;
}

/** A running consumer. `stop` takes no more and waits for what is in hand. */
export interface Running {
  stop(): Promise<void>;
}

const retryMsFirst = 250;
export const retryMsMax = 15_000;

/**
 * Waits double from a quarter of a second to 15 s, give or take a half, so that many do not come back together. Whole
 * milliseconds: the server takes a delay with a fraction of a nanosecond for none at all, and delivers at once.
 */
export const retryMs = (deliveries: number): number =>
  Math.round(Math.min(retryMsMax, retryMsFirst * 2 ** (deliveries - 1)) * (0.5 + Math.random()));

export const defaults = { ackWaitMs: 10_000, deliveriesMax: 8 };

const consumerExists = 10148;

/** The durable consumer, made or brought up to date; 2.9 does both at once, later servers refuse to make what is there. */
export const openDurableConsumer = async <State>(
  bus: Bus,
  options: DurableOptions<State>,
  maxAckPending: number,
): Promise<Consumer> => {
  const { stream, durable, filter = patterns.allOf(stream), ackWaitMs = defaults.ackWaitMs } = options;
  const config = {
    durable_name: durable,
    filter_subject: filter,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    max_ack_pending: maxAckPending,
  };
  await awaitStream(bus, stream);
  const { js, jsm } = await longTimeoutClients(bus);
  const start = await startOf(jsm, stream, durable);
  try {
    await jsm.consumers.add(stream, { ...config, ...start });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === consumerExists)) throw error;
    await jsm.consumers.update(stream, durable, { ...config, ...start });
  }
  watchConsumer(bus, stream, durable);
  return js.consumers.get(stream, durable);
};

/** With the first event; one that was restored from a backup, behind what was done when that began. Never changes again. */
const startOf = async (
  jsm: JetStreamManager,
  stream: StreamName,
  durable: string,
): Promise<Pick<ConsumerConfig, 'deliver_policy' | 'opt_start_seq'>> => {
  try {
    const { opt_start_seq } = (await jsm.consumers.info(stream, durable)).config;
    if (opt_start_seq !== undefined) return { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq };
  } catch (error) {
    if (!isConsumerNotFound(error)) throw error;
  }
  return { deliver_policy: DeliverPolicy.All };
};

/** Tells of messages that cannot be had: the server is away, or the consumer was deleted. */
export const reportFetchFailure = <State>(options: DurableOptions<State>, error: unknown): void =>
  options.onFailure(error, { subject: options.filter ?? patterns.allOf(options.stream), seq: 0 }, 'retry');

const reasonMax = 1_000;

/** Keeps what could not be processed for the operator; storing it twice keeps it once. */
export const storeDeadLetter = async <State>(
  bus: Bus,
  options: DurableOptions<State>,
  { message, error }: { message: JsMsg; error: unknown },
): Promise<void> => {
  const reason = String(error instanceof Error ? error.message : error).slice(0, reasonMax);
  const messageHeaders = requestContextHeaders();
  messageHeaders.set('Almanac-Subject', message.subject);
  messageHeaders.set('Almanac-Sequence', String(message.seq));
  messageHeaders.set('Almanac-Reason', reason.replaceAll(/[^\x20-\x7e]/g, ' '));
  const { duplicate } = await publishStored(bus, subjects.dead(options.durable), {
    data: message.data,
    options: { headers: messageHeaders, msgID: `${options.durable}.${message.seq}` },
  });
  if (!duplicate) countDeliveryOutcome(options.durable, 'dead');
};

/**
 * The stream's sequence up to which a durable consumer has acknowledged everything that it was to see. What its filter
 * leaves out counts as seen.
 */
export const acknowledgedUpTo = async (bus: Bus, stream: StreamName, durable: string): Promise<number> => {
  // Asked in this order, so that nothing can have come between that the consumer does not know of yet.
  const { state } = await bus.jsm.streams.info(stream);
  const {
    num_pending: pending,
    num_ack_pending: ackPending,
    ack_floor: floor,
  } = await bus.jsm.consumers.info(stream, durable);
  return pending === 0 && ackPending === 0 ? Math.max(state.last_seq, floor.stream_seq) : floor.stream_seq;
};
