import { setTimeout as delay } from 'node:timers/promises';
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
  storeDeadLetter,
  reportFetchFailure,
  watchDurable,
} from './durable-consumer.js';
import { type EventMessage, readEvent } from '../streams/events.js';
import { type HeldMessages, heldMax, heldMessages, refuseAfterNewer } from './held-messages.js';
import { NewerEventError } from '../streams/newer-event.js';
import { partitionsOf, placed } from '../partitions.js';
import { serveDeadLetterRetries } from './dead-letter-retry.js';

export interface ConsumeBatchesOptions<State> extends DurableOptions<State> {
  readonly batchMax: number;
  /** Minimum time between the starts of two effects, for effects with a high fixed cost per batch. Default 0. */
  readonly everyMs?: number;
  /** Which events have the effect. The others are only acknowledged, and no `everyMs` follows them. Default: all. */
  readonly concerns?: (event: EventMessage<State>) => boolean;
  /**
   * The effect of one batch, in stream order. Batches of several partitions have effects at the same time. The batch is
   * acknowledged when it returns and retried completely when it throws. After a crash or a lost connection, events can
   * arrive again and behind newer ones; compare `seq` to find the newer one.
   */
  readonly handle: (messages: readonly EventMessage<State>[]) => Promise<void>;
}

const attemptMsMax = 5_000;
const pullMs = 5_000;

/**
 * Handles events in batches. A batch contains what arrived during the previous batch, or until `everyMs` had passed.
 * A single event is therefore handled at once, and a flood in batches of thousands. `stop` finishes the received
 * messages. Messages that fail during the stop, or are still in transit, are redelivered after their ack wait.
 */
export const consumeBatches = async <State>(bus: Bus, options: ConsumeBatchesOptions<State>): Promise<Running> => {
  const held = heldMessages(bus, options);
  const parts: Running[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(parts.map((part) => part.stop()));
    await held.stop();
  };
  try {
    for (const partition of partitionsOf(bus, options.stream))
      parts.push(await consumePartition(bus, options, { partition, held }));
  } catch (error) {
    await stop();
    throw error;
  }
  parts.push(serveDeadLetterRetries(bus, options, async (event) => void (await runEffect(options, [event]))));
  return { stop };
};

const consumePartition = async <State>(
  bus: Bus,
  options: ConsumeBatchesOptions<State>,
  { partition, held }: { partition: number; held: HeldMessages },
): Promise<Running> => {
  const { everyMs = 0 } = options;
  const pending = new PendingMessages();
  const receiving = await receive(bus, options, { pending, partition });
  // Extends the ack wait of all received messages. Otherwise they are redelivered behind newer ones.
  const ackWaitTimer = setInterval(
    () => {
      if (bus.nc.isClosed()) clearInterval(ackWaitTimer);
      else pending.extendAckWait();
    },
    (options.ackWaitMs ?? defaults.ackWaitMs) / 3,
  );
  const batchLoop = (async () => {
    for (;;) {
      const batch = await pending.take(options.batchMax);
      if (batch.length === 0) return;
      const beganAt = performance.now();
      const handled = await settleBatch(bus, options, { batch, stopping: pending.stopping, held });
      pending.settled();
      const pauseMs = everyMs - (performance.now() - beganAt);
      if (handled > 0 && pauseMs > 0) await pause(pauseMs, pending.stopping);
    }
  })();
  return {
    stop: async () => {
      pending.stop();
      await receiving.stop();
      await batchLoop;
      clearInterval(ackWaitTimer);
    },
  };
};

/** Received messages that wait for a batch, and the batch in progress. */
class PendingMessages {
  private waiting: JsMsg[] = [];
  private atWork: JsMsg[] = [];
  private wake: () => void = () => undefined;
  private readonly abort = new AbortController();

  get stopping(): AbortSignal {
    return this.abort.signal;
  }

  add(message: JsMsg): void {
    this.waiting.push(message);
    this.wake();
  }

  /** Resolves with the next messages, at least one. After a stop: the remaining messages, then none. */
  async take(max: number): Promise<JsMsg[]> {
    while (this.waiting.length === 0 && !this.stopping.aborted) {
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    this.atWork = this.waiting.splice(0, max);
    return this.atWork;
  }

  settled(): void {
    this.atWork = [];
  }

  extendAckWait(): void {
    for (const message of [...this.atWork, ...this.waiting]) message.working();
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0 && this.atWork.length === 0;
  }

  stop(): void {
    this.abort.abort();
    this.wake();
  }
}

/** Receives messages until it is stopped. A consumer that ends with an error is opened again. */
const receive = async <State>(
  bus: Bus,
  options: ConsumeBatchesOptions<State>,
  { pending, partition }: { pending: PendingMessages; partition: number },
): Promise<Running> => {
  const maxAckPending = options.batchMax * 4 + heldMax;
  const open = (): Promise<Consumer> => openDurableConsumer(bus, options, { maxAckPending, partition });
  let received = 0;
  const begin = (consumer: Consumer): Promise<ConsumerMessages> =>
    consumer.consume({
      max_messages: options.batchMax * 2,
      expires: pullMs,
      callback: (message) => {
        received += 1;
        countDelivery(options.durable, message.info.deliveryCount);
        pending.add(message);
      },
    });
  let messages = await begin(await awaitDurableConsumer(bus, options, open));
  const restart = async (): Promise<void> => {
    const replaced = messages;
    const consumer = await durableConsumer(bus, options, partition, open);
    if (pending.stopping.aborted || bus.nc.isClosed()) return;
    messages = await begin(consumer);
    // Ends after the new one has begun, so that the loop below sees that it was replaced.
    void replaced.close();
  };
  const watch = watchDurable(bus, options, {
    partition,
    received: () => received,
    isBusy: () => !pending.isEmpty,
    restart,
  });
  const receiving = (async () => {
    for (let restarts = 1; ; restarts += 1) {
      const own = messages;
      const error = await own.closed();
      if (pending.stopping.aborted || bus.nc.isClosed()) return;
      if (own !== messages) continue;
      reportFetchFailure(options, error ?? new Error('the consumer ended'));
      await pause(Math.min(retryMs(restarts), attemptMsMax), pending.stopping);
      if (own === messages) await restart();
    }
  })();
  return {
    stop: async () => {
      await watch.stop();
      await messages.close();
      await receiving;
    },
  };
};

/**
 * Retries a batch until it succeeds or is stopped, because a read model must not skip an event. Returns the number of
 * events that had the effect.
 */
const settleBatch = async <State>(
  bus: Bus,
  options: ConsumeBatchesOptions<State>,
  { batch, stopping, held }: { batch: readonly JsMsg[]; stopping: AbortSignal; held: HeldMessages },
): Promise<number> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { events, newer } = await readBatch(bus, options, batch);
      const handled = await runEffect(options, events);
      for (const message of batch) {
        const error = newer.get(message);
        if (error === undefined) message.ack();
        else held.hold(message, error);
      }
      countDeliveryOutcome(options.durable, 'done', events.length);
      return handled;
    } catch (error) {
      if (bus.nc.isClosed()) return 0;
      const [first] = batch;
      countDeliveryOutcome(options.durable, 'retry', batch.length);
      if (first !== undefined) options.onFailure(error, placed(bus, options.stream, first), 'retry');
      await pause(Math.min(retryMs(attempt), attemptMsMax), stopping);
      // No nak: nats-server 2.9 loses a nak for just as long when only requests of the stopped process are open.
      if (stopping.aborted) return 0;
    }
  }
};

const runEffect = async <State>(
  { concerns = () => true, handle }: ConsumeBatchesOptions<State>,
  events: readonly EventMessage<State>[],
): Promise<number> => {
  const concerned = events.filter(concerns);
  if (concerned.length > 0) await handle(concerned);
  return concerned.length;
};

/**
 * The events of a batch, and the messages that only a newer release can handle. An unreadable message becomes a dead
 * letter, because reading it again cannot help.
 */
const readBatch = async <State>(
  bus: Bus,
  options: ConsumeBatchesOptions<State>,
  batch: readonly JsMsg[],
): Promise<{ events: EventMessage<State>[]; newer: ReadonlyMap<JsMsg, NewerEventError> }> => {
  const events: EventMessage<State>[] = [];
  const newer = new Map<JsMsg, NewerEventError>();
  for (const message of batch) {
    const place = placed(bus, options.stream, message);
    let event: EventMessage<State> | undefined;
    try {
      event = readEvent(place, options.state);
      await refuseAfterNewer(bus, options, event);
      events.push(event);
    } catch (error) {
      if (error instanceof NewerEventError) {
        newer.set(message, error);
        continue;
      }
      if (event !== undefined) throw error;
      options.onFailure(error, place, 'dead');
      await storeDeadLetter(bus, options, { message, error });
    }
  }
  return { events, newer };
};

/** Ends early on a stop. */
const pause = async (ms: number, stopping: AbortSignal): Promise<void> => {
  await delay(ms, undefined, { signal: stopping }).catch(() => undefined);
};
