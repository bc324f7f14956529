import { setTimeout as delay } from 'node:timers/promises';
import { errorTypeOf, type OpenSpan } from '@almanac/runtime';
import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import type { Bus, Running } from '../bus.js';
import { countDelivery, countDeliveryOutcome } from '../streams/consumer-metrics.js';
import {
  awaitDurableConsumer,
  defaults,
  durableConsumer,
  type DurableOptions,
  openDurableConsumer,
  retryMs,
  retryMsMax,
  storeDeadLetter,
  reportFetchFailure,
} from './durable-consumer.js';
import { type EventMessage, readEvent } from '../streams/events.js';
import { type HeldMessages, heldMax, heldMessages, refuseAfterNewer } from './held-messages.js';
import { NewerEventError } from '../streams/newer-event.js';
import { partitionsOf, placed } from '../partitions.js';
import { isStorageFull } from '../streams/storage-capacity.js';
import { serveDeadLetterRetries } from './dead-letter-retry.js';
import { consumerSpan } from '../tracing/spans.js';
import { runWithExtractedContext } from '../tracing/trace-propagation.js';

export interface ConsumeOptions<State> extends DurableOptions<State> {
  /** Events that are handled at once, of each partition. */
  readonly concurrency: number;
  /** The effect. Its return acknowledges the message. `working` extends the ack wait; `delivery` counts from 1. */
  readonly handle: Handle<State>;
  /** Runs once before a message becomes a dead letter after its last delivery. If it throws, the message is retried. */
  readonly onExhausted?: (message: EventMessage<State>, error: unknown) => Promise<void>;
}

export type Handle<State> = (
  message: EventMessage<State>,
  delivery: { readonly working: () => void; readonly count: number },
) => Promise<void>;

const pullMs = 5_000;
/** How much longer than asked for a request may take. */
const overdueMs = 5_000;
/** After so many failures the consumer may have been deleted. */
const reopenAfter = 3;

/** Thrown by a handler when another delivery cannot help: the message becomes a dead letter at once. */
export class NonRetryableError extends Error {
  override readonly name = 'NoUseError';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/**
 * Handles the events of a stream, up to `concurrency` at once, each until its effect is durable. A message is
 * acknowledged after its effect and redelivered after an error. After the last delivery, or at once if no delivery can
 * help, it is stored as a dead letter before it is settled. Without storage capacity in NATS, the handler waits within
 * the delivery: every message would fail, and none of them is at fault. What only a newer release can handle, or decide,
 * is held until a newer process gets it.
 *
 * A worker requests a message only when it is free. A message that waited behind a long one would exceed its ack wait.
 */
export const consume = async <State>(bus: Bus, options: ConsumeOptions<State>): Promise<Running> => {
  const maxAckPending = options.concurrency * 64 + heldMax;
  const opened = await Promise.all(
    partitionsOf(bus, options.stream).map(async (partition) => {
      const open = (): Promise<Consumer> => openDurableConsumer(bus, options, { maxAckPending, partition });
      return { partition, open, consumer: await awaitDurableConsumer(bus, options, open) };
    }),
  );
  const held = heldMessages(bus, options);
  const workers = opened.flatMap((one) =>
    Array.from({ length: Math.max(1, options.concurrency) }, () => startWorker(bus, options, { ...one, held })),
  );
  const handle = (event: EventMessage<State>) => options.handle(event, { working: () => undefined, count: 1 });
  const tasks = [...workers, serveDeadLetterRetries(bus, options, handle), held];
  return { stop: async () => void (await Promise.all(tasks.map((part) => part.stop()))) };
};

interface Worker {
  readonly consumer: Consumer;
  readonly partition: number;
  readonly held: HeldMessages;
  /** Creates the consumer again if it was deleted. */
  readonly open: () => Promise<Consumer>;
}

const startWorker = <State>(
  bus: Bus,
  options: ConsumeOptions<State>,
  { consumer: opened, held, open, partition }: Worker,
): Running => {
  const stopping = new AbortController();
  let consumer = opened;
  const reopened = (known: Consumer): Promise<Consumer> =>
    durableConsumer(bus, options, partition, open).catch((error: unknown) => {
      reportFetchFailure(options, error);
      return known;
    });
  let pull: ConsumerMessages | undefined;
  const next = async (): Promise<JsMsg | undefined> => {
    const fetched = await consumer.fetch({ max_messages: 1, expires: pullMs });
    if (stopping.signal.aborted) {
      // The request is sent only on iteration. Before that, close() never resolves, so it is not awaited.
      void fetched.close();
      return undefined;
    }
    pull = fetched;
    // After a reconnect the client may wait for the end of a request that the server no longer has.
    const overdue = setTimeout(() => void fetched.close(), pullMs + overdueMs);
    try {
      for await (const message of fetched) return message;
    } finally {
      clearTimeout(overdue);
    }
    return undefined;
  };
  const work = async (): Promise<void> => {
    for (let failures = 0; !stopping.signal.aborted && !bus.nc.isClosed();) {
      try {
        const message = await next();
        failures = 0;
        if (message === undefined) continue;
        // A message that arrives during a stop goes to another process at once.
        if (stopping.signal.aborted) message.nak();
        else {
          const spanOptions = () => consumerSpan(options, message.info.deliveryCount);
          const { signal } = stopping;
          await runWithExtractedContext(message, spanOptions, (span) =>
            settle(bus, options, { message, span, signal, held }),
          );
        }
      } catch (error) {
        if (stopping.signal.aborted || bus.nc.isClosed()) return;
        failures += 1;
        reportFetchFailure(options, error);
        if (failures % reopenAfter === 0) consumer = await reopened(consumer);
        await delay(retryMs(failures), undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  };
  const working = work();
  return {
    stop: async () => {
      stopping.abort();
      await pull?.close();
      await working;
    },
  };
};

interface Delivery {
  readonly message: JsMsg;
  readonly span: OpenSpan | undefined;
  readonly signal: AbortSignal;
  readonly held: HeldMessages;
}

const settle = async <State>(
  bus: Bus,
  options: ConsumeOptions<State>,
  { message, span, signal, held }: Delivery,
): Promise<void> => {
  const count = message.info.deliveryCount;
  const place = placed(bus, options.stream, message);
  const deliveriesMax = options.deliveriesMax ?? defaults.deliveriesMax;
  let event: EventMessage<State> | undefined;
  countDelivery(options.durable, count);
  try {
    event = readEvent(place, options.state);
    await refuseAfterNewer(bus, options, event);
    // The earlier deliveries ended without an ack, so they probably crashed their process. Another one could crash
    // this process.
    if (count > deliveriesMax) throw new Error(`none of ${deliveriesMax} deliveries was answered`);
    await handleWithStorageRetry(options, { message, event, count }, signal);
    message.ack();
    countDeliveryOutcome(options.durable, 'done');
  } catch (error) {
    span?.fail(errorTypeOf(error));
    if (error instanceof NewerEventError) return held.hold(message, error);
    const exhausted = event === undefined || count >= deliveriesMax || error instanceof NonRetryableError;
    options.onFailure(error, place, exhausted ? 'dead' : 'retry');
    if (!exhausted) {
      countDeliveryOutcome(options.durable, 'retry');
      return message.nak(retryMs(count));
    }
    await deadLetter(bus, options, { message, event, error });
  }
};

const handleWithStorageRetry = async <State>(
  options: ConsumeOptions<State>,
  { message, event, count }: { message: JsMsg; event: EventMessage<State>; count: number },
  signal: AbortSignal,
): Promise<void> => {
  const ackWaitMs = options.ackWaitMs ?? defaults.ackWaitMs;
  for (let refusals = 1; ; refusals += 1) {
    try {
      return await options.handle(event, { working: () => message.working(), count });
    } catch (error) {
      if (!isStorageFull(error) || signal.aborted) throw error;
      options.onFailure(error, event, 'retry');
      message.working();
      await delay(Math.min(retryMs(refusals), ackWaitMs / 3), undefined, { signal });
    }
  }
};

const deadLetter = async <State>(
  bus: Bus,
  options: ConsumeOptions<State>,
  failed: { message: JsMsg; event: EventMessage<State> | undefined; error: unknown },
): Promise<void> => {
  const { message, event, error } = failed;
  try {
    if (event !== undefined) await options.onExhausted?.(event, error);
    await storeDeadLetter(bus, options, failed);
    message.term();
  } catch (cause) {
    options.onFailure(cause, placed(bus, options.stream, message), 'retry');
    message.nak(retryMsMax);
  }
};
