import { randomUUID } from 'node:crypto';
import { withTimeout } from '@almanac/runtime';
import { type ConsumerMessages, DeliverPolicy, type DeliveryInfo, type JsMsg } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { type Bus, isConsumerLost, type Running } from '../bus.js';
import { longTimeoutClients } from '../connection/long-timeout-clients.js';
import { type JetStreamClients, rawJetStream } from '../connection/raw-jetstream.js';
import { retryUntilDone, startWaitMs } from '../streams/retry-until-done.js';
import { lagTimeoutMs, watchSubscription } from '../connection/watch-subscription.js';

export interface OrderedOptions {
  /** Of the server, as is the pattern. */
  readonly stream: string;
  readonly filter: string;
  /** The first sequence. */
  readonly first: number;
  readonly headersOnly?: boolean;
  /** Of a process that has started: a lost request is sent again after some seconds instead of a minute. */
  readonly hasStarted?: boolean;
  readonly onMessage: (message: JsMsg) => void;
}

export interface OrderedSubscription extends Running {
  /** The sequence of the last message that was handled, or the one before the first. */
  readonly handled: number;
  /** How many messages were stored at the start. */
  readonly storedCount: number;
  /** Subscribes anew because messages are known to be missing. At most once a second. */
  readonly hurry: () => void;
}

/**
 * The server deletes an unused consumer after this time. It covers a process that stops while its consumer is
 * recreated. After a longer disconnection the client creates another consumer.
 */
const inactiveThresholdMs = 60_000;

type OrderedConsumer = Awaited<ReturnType<JetStreamClients['js']['consumers']['get']>>;

interface Receiving {
  readonly consumer: OrderedConsumer;
  readonly messages: ConsumerMessages;
}

/**
 * Receives the messages of a stream in order and without gaps. After a lost connection the client recreates the consumer at
 * its position. Where it does not, because its requests are never answered, the subscription is replaced.
 */
export const subscribeOrdered = async (bus: Bus, options: OrderedOptions): Promise<OrderedSubscription> => {
  const { stream, filter, first, onMessage } = options;
  let handled = first - 1;
  /** The last message by its consumer, which numbers what it delivers. */
  let last: Pick<DeliveryInfo, 'consumer' | 'deliverySequence'> | undefined;
  /** The last sequence of the stream when nothing waited. Later messages of it are outside of the filter. */
  let complete = 0;
  let stopped = false;
  let current: Receiving | undefined;

  const receive = async (consumer: OrderedConsumer): Promise<void> => {
    const messages = await consumer.consume({
      max_messages: 1_000,
      expires: 5_000,
      callback: (message) => {
        // Of a subscription that was replaced.
        if (message.seq <= handled || (current !== undefined && current.consumer !== consumer)) return;
        onMessage(message);
        handled = message.seq;
        last = message.info;
      },
    });
    current = { consumer, messages };
    void messages.closed().then((error) => {
      if (!stopped && !bus.nc.isClosed() && current?.messages === messages) reportEnd(bus, options, error);
    });
  };
  const { consumer, storedCount } = await firstConsumer(bus, options);
  await receive(consumer);

  const lag = async (): Promise<number | 'unknown'> => {
    const end = await lastSequence(bus, stream);
    if (end === undefined) return 'unknown';
    if (Math.max(handled, complete) >= end) return 0;
    // Only the consumer knows the filter.
    const waiting = await waitingFor(current?.consumer ?? consumer, last);
    if (waiting === 0) complete = end;
    return waiting ?? end - handled;
  };
  const restart = async (): Promise<void> => {
    const replaced = current;
    // Not those of the start, whose requests wait for a minute.
    const next = await openConsumer(bus, bus[rawJetStream], options, handled + 1);
    current = undefined;
    if (!stopped) await receive(next);
    // Both may need a server that is away.
    void replaced?.messages.close();
    void replaced?.consumer.delete().catch(() => undefined);
  };
  const watch = watchSubscription(bus, { stream, name: filter, position: () => handled, lag, restart });
  return {
    get handled() {
      return handled;
    },
    storedCount,
    hurry: watch.hurry,
    stop: async () => {
      stopped = true;
      await watch.stop();
      await current?.messages.close();
      await current?.consumer.delete().catch(ignoreMissingConsumer);
    },
  };
};

const reportEnd = ({ subscriptions }: Bus, { stream, filter }: OrderedOptions, cause: unknown): void => {
  const failure = new Error(`the subscription to ${filter} has ended`, { cause });
  // Nobody would notice that it is restarted without end. The unhandled rejection ends the process.
  if (subscriptions === undefined) throw failure;
  subscriptions.log.warn({ err: failure, stream, subscription: filter }, 'a subscription has ended');
};

/** At the start of a process, whose servers may elect a leader. The server deletes one that got no answer, as it is not used. */
const firstConsumer = (
  bus: Bus,
  options: OrderedOptions,
): Promise<{ readonly consumer: OrderedConsumer; readonly storedCount: number }> =>
  retryUntilDone(bus, { what: `for a consumer of ${options.stream}`, timeoutMs: startWaitMs }, async () => {
    const clients = options.hasStarted === true ? bus[rawJetStream] : await longTimeoutClients(bus);
    const consumer = await openConsumer(bus, clients, options, options.first);
    const { num_pending: storedCount } = await consumer.info(true);
    return { consumer, storedCount };
  });

const openConsumer = (
  { user }: Bus,
  { js }: Pick<JetStreamClients, 'js'>,
  { stream, filter, headersOnly = false }: OrderedOptions,
  from: number,
): Promise<OrderedConsumer> =>
  js.consumers.get(stream, {
    filter_subjects: filter,
    // Not `new`: a consumer recreated before its first message would start at the beginning of the stream.
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: from,
    headers_only: headersOnly,
    // Two consumers with the same name would share messages, so each would miss some.
    name_prefix: `${user}-${randomUUID()}`,
    inactive_threshold: inactiveThresholdMs,
  });

const lastSequence = async (bus: Bus, stream: string): Promise<number | undefined> =>
  (await withTimeout(lagTimeoutMs, bus[rawJetStream].jsm.streams.info(stream), () => undefined))?.state.last_seq;

/**
 * How many messages a consumer has for this process. Undefined if it is lost. What it delivered may not have arrived, and only its
 * own numbers show that: its position in the stream is also that of messages that were removed or are outside of its filter.
 */
export const waitingFor = async (
  consumer: Pick<OrderedConsumer, 'info'>,
  last: Pick<DeliveryInfo, 'consumer' | 'deliverySequence'> | undefined,
): Promise<number | undefined> => {
  const info = await withTimeout(lagTimeoutMs, consumer.info(), () => undefined).catch((error: unknown) => {
    if (isConsumerLost(error)) return undefined;
    throw error;
  });
  if (info === undefined) return undefined;
  const received = info.name === last?.consumer ? last.deliverySequence : 0;
  return info.num_pending + (info.delivered.consumer_seq > received ? 1 : 0);
};

const temporarilyUnavailable = 10008;

/**
 * A server that was lost no longer has the consumer, and an unavailable server deletes it when it is unused. Neither must
 * prevent the process from stopping.
 */
const ignoreMissingConsumer = (error: unknown): void => {
  if (error instanceof errors.TimeoutError || isConsumerLost(error)) return;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== temporarilyUnavailable) throw error;
};
