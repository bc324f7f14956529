import { setTimeout as delay } from 'node:timers/promises';
import type { StreamName } from '@almanac/contracts';
import { AckPolicy, type ConsumerMessages, DeliverPolicy, type JsMsg } from '@nats-io/jetstream';
import { headers, nanos } from '@nats-io/transport-node';
import type { z } from 'zod';
import type { Bus } from './bus.js';
import { type EventMessage, readEvent } from './events.js';
import { patterns, subjects } from './names.js';

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
  /** Called for each failed delivery, with what happens next. */
  readonly onFailure: (error: unknown, message: { subject: string; seq: number }, next: 'retry' | 'dead') => void;
}

export interface ConsumeOptions<State> extends DurableOptions<State> {
  /** Messages in hand at once in this process. */
  readonly concurrency: number;
  /** The effect. Acknowledged when it returned; `working` asks for more time; `delivery` counts from 1. */
  readonly handle: (message: EventMessage<State>, delivery: { working: () => void; count: number }) => Promise<void>;
  /** Runs once before a message is taken aside after its last delivery; what it throws leaves the message to be tried again. */
  readonly onExhausted?: (message: EventMessage<State>, error: unknown) => Promise<void>;
}

/** A running consumer. `stop` takes no more and waits for what is in hand. */
export interface Running {
  stop(): Promise<void>;
}

const retryMsFirst = 250;
const retryMsMax = 15_000;

/** Waits double from a quarter of a second to 15 s, give or take a half, so that many do not come back together. */
export const retryMs = (deliveries: number): number =>
  Math.min(retryMsMax, retryMsFirst * 2 ** (deliveries - 1)) * (0.5 + Math.random());

const defaults = { ackWaitMs: 10_000, deliveriesMax: 8 };

const openDurable = async <State>(bus: Bus, options: DurableOptions<State>, maxAckPending: number) => {
  const { stream, durable, filter = patterns.allOf(stream), ackWaitMs = defaults.ackWaitMs } = options;
  await bus.jsm.consumers.add(stream, {
    durable_name: durable,
    filter_subject: filter,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(ackWaitMs),
    max_ack_pending: maxAckPending,
  });
  return bus.js.consumers.get(stream, durable);
};

/**
 * Handles the events of a stream, one after the other or `concurrency` at once, each until its effect is durable.
 *
 * Four ways to settle: acknowledge after the effect; come back later after an error; take aside after the last
 * delivery; take aside at once what is no event, since reading it again cannot help. A message is taken aside by
 * storing it as a dead letter first, so none is ever lost.
 */
export const consume = async <State>(bus: Bus, options: ConsumeOptions<State>): Promise<Running> => {
  const consumer = await openDurable(bus, options, options.concurrency * 64);
  const messages = await consumer.consume({ max_messages: Math.max(1, options.concurrency), expires: 5_000 });
  const inHand = new Set<Promise<void>>();
  const pump = (async () => {
    for await (const message of messages) {
      const work = settle(bus, options, message).finally(() => inHand.delete(work));
      inHand.add(work);
      if (inHand.size >= options.concurrency) await Promise.race(inHand);
    }
  })();
  return {
    stop: async () => {
      await messages.close();
      await pump;
      await Promise.all(inHand);
    },
  };
};

const settle = async <State>(bus: Bus, options: ConsumeOptions<State>, message: JsMsg): Promise<void> => {
  const count = message.info.deliveryCount;
  let event: EventMessage<State> | undefined;
  try {
    event = readEvent(message, options.state);
    await options.handle(event, { working: () => message.working(), count });
    message.ack();
  } catch (error) {
    const exhausted = event === undefined || count >= (options.deliveriesMax ?? defaults.deliveriesMax);
    options.onFailure(error, message, exhausted ? 'dead' : 'retry');
    if (!exhausted) return message.nak(retryMs(count));
    await takeAside(bus, options, { message, event, error });
  }
};

const takeAside = async <State>(
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
    options.onFailure(cause, message, 'retry');
    message.nak(retryMsMax);
  }
};

const storeDeadLetter = async <State>(
  bus: Bus,
  options: DurableOptions<State>,
  { message, error }: { message: JsMsg; error: unknown },
): Promise<void> => {
  const made = headers();
  made.set('Almanac-Subject', message.subject);
  made.set('Almanac-Sequence', String(message.seq));
  made.set('Almanac-Reason', String(error instanceof Error ? error.message : error).replaceAll(/[^\x20-\x7e]/g, ' '));
  await bus.js.publish(subjects.dead(options.durable), message.data, {
    headers: made,
    msgID: `${options.durable}.${message.seq}`,
  });
};

export interface ConsumeBatchesOptions<State> extends DurableOptions<State> {
  readonly batchMax: number;
  /** The effect of a whole batch, in stream order; acknowledged when it returned, tried again as a whole when it throws. */
  readonly handle: (messages: readonly EventMessage<State>[]) => Promise<void>;
}

/**
 * Handles events in batches that form by themselves: what arrived while the last batch was at work is the next one. So
 * a single event is not kept waiting, and a flood goes thousands at a time.
 */
export const consumeBatches = async <State>(bus: Bus, options: ConsumeBatchesOptions<State>): Promise<Running> => {
  const consumer = await openDurable(bus, options, options.batchMax * 4);
  const arrived: JsMsg[] = [];
  let wake: () => void = () => undefined;
  let stopping = false;
  const messages: ConsumerMessages = await consumer.consume({
    max_messages: options.batchMax * 2,
    expires: 5_000,
    callback: (message) => {
      arrived.push(message);
      wake();
    },
  });
  const pump = (async () => {
    while (!stopping) {
      if (arrived.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      if (arrived.length > 0) await settleBatch(bus, options, arrived.splice(0, options.batchMax));
    }
  })();
  return {
    stop: async () => {
      await messages.close();
      stopping = true;
      wake();
      await pump;
    },
  };
};

/** A batch holds its place until it succeeds: a read model must not pass over an event, so it never gives up. */
const settleBatch = async <State>(bus: Bus, options: ConsumeBatchesOptions<State>, batch: JsMsg[]): Promise<void> => {
  const events: EventMessage<State>[] = [];
  for (const message of batch) {
    try {
      events.push(readEvent(message, options.state));
    } catch (error) {
      options.onFailure(error, message, 'dead');
      await storeDeadLetter(bus, options, { message, error });
    }
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      await options.handle(events);
      for (const message of batch) message.ack();
      return;
    } catch (error) {
      const last = batch.at(-1);
      if (bus.nc.isClosed() || last === undefined) return;
      options.onFailure(error, last, 'retry');
      for (const message of batch) message.working();
      await delay(Math.min(retryMs(attempt), 5_000));
    }
  }
};

/** The sequence up to which a durable consumer has acknowledged everything that it was to see. */
export const acknowledgedUpTo = async (bus: Bus, stream: StreamName, durable: string): Promise<number> => {
  const info = await bus.jsm.consumers.info(stream, durable);
  return info.num_pending === 0 && info.num_ack_pending === 0
    ? Math.max(info.delivered.stream_seq, info.ack_floor.stream_seq)
    : info.ack_floor.stream_seq;
};
