import type { StreamName } from '@almanac/contracts';
import { backoffMs, withTimeout } from '@almanac/runtime';
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
import { type Bus, isConsumerNotFound, type Running } from '../bus.js';
import { countDeliveryOutcome, watchConsumer } from '../streams/consumer-metrics.js';
import { patterns, subjects } from '../names.js';
import { deadLetterHeaders } from '../streams/dead-letters.js';
import { longTimeoutClients } from '../connection/long-timeout-clients.js';
import { placed, serverStream, serverSubject } from '../partitions.js';
import { rawJetStream } from '../connection/raw-jetstream.js';
import { retryUntilDone, startWaitMs } from '../streams/retry-until-done.js';
import { publishStored } from '../streams/storage-capacity.js';
import { awaitStream } from '../streams/streams.js';
import { lagTimeoutMs, watchSubscription } from '../connection/watch-subscription.js';

export interface DurableOptions<State> {
  readonly stream: StreamName;
  readonly durable: string;
  /** One subject pattern, because nats-server 2.9 supports only one. Default: the complete stream. */
  readonly filter?: string;
  /** Leaves out the events that were stored before the consumer was first opened. */
  readonly newOnly?: true;
  readonly state: z.ZodType<State>;
  /** Time limit of one delivery before another process gets the message. A long handler calls `working`. */
  readonly ackWaitMs?: number;
  readonly deliveriesMax?: number;
  /** Called for each failed delivery. If nothing can be fetched, `subject` is the pattern and `seq` is 0. */
  readonly onFailure: (error: unknown, message: { subject: string; seq: number }, next: 'retry' | 'dead') => void;
}

const retryMsFirst = 250;
export const retryMsMax = 15_000;

/**
 * Back-off that doubles from 0.25 s to 15 s, with 50 % jitter so that many messages do not return together. Rounded
 * to whole milliseconds: the server treats a delay with a fraction of a nanosecond as no delay.
 */
export const retryMs = (deliveries: number): number =>
  Math.round(backoffMs(deliveries - 1, { firstMs: retryMsFirst, mostMs: retryMsMax }));

export const defaults = { ackWaitMs: 10_000, deliveriesMax: 8 };

/** Creates or updates the durable consumer of a partition. */
export const openDurableConsumer = async <State>(
  bus: Bus,
  options: DurableOptions<State>,
  { maxAckPending, partition }: { maxAckPending: number; partition: number },
): Promise<Consumer> => {
  const { stream: name, durable, filter = patterns.allOf(name), newOnly, ackWaitMs = defaults.ackWaitMs } = options;
  const stream = serverStream(bus, name, partition);
  const config = {
    durable_name: durable,
    filter_subject: serverSubject(bus, { stream: name, partition, subject: filter }),
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    max_ack_pending: maxAckPending,
  };
  await awaitStream(bus, name);
  const { js, jsm } = await longTimeoutClients(bus);
  if (!(await updateIfThere(jsm, stream, config))) {
    const start = await firstStart(jsm, stream, newOnly === true);
    try {
      await jsm.consumers.add(stream, { ...config, ...start });
    } catch (error) {
      // Another process may have created it meanwhile, perhaps after a newer event.
      if (!(await updateIfThere(jsm, stream, config))) throw error;
    }
  }
  watchConsumer(bus, stream, durable);
  return js.consumers.get(stream, durable);
};

/**
 * Opens it at the start of a process, whose servers may elect a leader of the consumer. Throws the server's error after 30 s,
 * unless the process waits without limit.
 */
export const awaitDurableConsumer = <State>(
  bus: Bus,
  { stream, durable }: DurableOptions<State>,
  open: () => Promise<Consumer>,
): Promise<Consumer> =>
  retryUntilDone(bus, { what: `for the consumer ${durable} of ${stream}`, timeoutMs: startWaitMs }, open);

type ConsumerStart = Pick<ConsumerConfig, 'deliver_policy' | 'opt_start_seq'>;

const firstStart = async (jsm: JetStreamManager, stream: string, newOnly: boolean): Promise<ConsumerStart> => {
  if (!newOnly) return { deliver_policy: DeliverPolicy.All };
  const { state } = await jsm.streams.info(stream);
  return { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: state.last_seq + 1 };
};

/** Keeps where the consumer started, which cannot change later: a backup may have restored its position. */
const updateIfThere = async (
  jsm: JetStreamManager,
  stream: string,
  config: Partial<ConsumerConfig> & { readonly durable_name: string },
): Promise<boolean> => {
  try {
    await jsm.consumers.update(stream, config.durable_name, config);
    return true;
  } catch (error) {
    if (isConsumerNotFound(error)) return false;
    throw error;
  }
};

/** The consumer again, with requests that are given up early. If it was deleted, it is created again. */
export const durableConsumer = async <State>(
  bus: Bus,
  { stream, durable }: DurableOptions<State>,
  partition: number,
  open: () => Promise<Consumer>,
): Promise<Consumer> => {
  try {
    return await bus[rawJetStream].js.consumers.get(serverStream(bus, stream, partition), durable);
  } catch (error) {
    if (isConsumerNotFound(error)) return open();
    throw error;
  }
};

export interface DurableWatch {
  readonly partition: number;
  /** How many messages this process has received. */
  readonly received: () => number;
  /** Whether it works on some. Then it need not receive more. */
  readonly isBusy: () => boolean;
  readonly restart: () => Promise<void>;
}

/**
 * Watches what this process receives of a durable consumer. Another process may hold all messages that the consumer may
 * deliver, so only what nobody works on counts as waiting.
 */
export const watchDurable = <State>(
  bus: Bus,
  { stream, durable }: DurableOptions<State>,
  { partition, received, isBusy, restart }: DurableWatch,
): Running => {
  const server = serverStream(bus, stream, partition);
  const lag = async (): Promise<number | 'unknown'> => {
    if (isBusy()) return 0;
    try {
      const info = await withTimeout(
        lagTimeoutMs,
        bus[rawJetStream].jsm.consumers.info(server, durable),
        () => undefined,
      );
      if (info === undefined) return 'unknown';
      return info.num_ack_pending === 0 ? info.num_pending : 0;
    } catch (error) {
      // Deleted: everything that comes waits.
      return isConsumerNotFound(error) ? 1 : 'unknown';
    }
  };
  return watchSubscription(bus, { stream: server, name: durable, position: received, lag, restart });
};

/** Reports that messages cannot be fetched because the server is unavailable or the consumer was deleted. */
export const reportFetchFailure = <State>(options: DurableOptions<State>, error: unknown): void =>
  options.onFailure(error, { subject: options.filter ?? patterns.allOf(options.stream), seq: 0 }, 'retry');

/** Stores a message that could not be processed. A second store of the same message is ignored. */
export const storeDeadLetter = async <State>(
  bus: Bus,
  options: DurableOptions<State>,
  { message: stored, error }: { message: JsMsg; error: unknown },
): Promise<void> => {
  const message = placed(bus, options.stream, stored);
  const { duplicate } = await publishStored(bus, subjects.dead(options.durable), {
    data: message.data,
    options: { headers: deadLetterHeaders(message, error), msgID: `${options.durable}.${message.seq}` },
  });
  if (!duplicate) countDeliveryOutcome(options.durable, 'dead');
};
