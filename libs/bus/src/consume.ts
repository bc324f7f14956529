import { setTimeout as delay } from 'node:timers/promises';
import { errorTypeOf, type OpenSpan } from '@almanac/runtime';
import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import type { Bus } from './bus.js';
import { countDelivery, countDeliveryOutcome } from './consumer-metrics.js';
import {
  defaults,
  type DurableOptions,
  openDurableConsumer,
  retryMs,
  retryMsMax,
  type Running,
  storeDeadLetter,
  reportFetchFailure,
} from './durable.js';
import { type EventMessage, readEvent } from './events.js';
import { isStorageFull } from './storage-capacity.js';
import { serveDeadLetterRetries } from './dead-letter-retry.js';
import { consumerSpan } from './spans.js';
import { runWithExtractedContext } from './trace-propagation.js';

export interface ConsumeOptions<State> extends DurableOptions<State> {
  /** Messages in hand at once in this process. */
  readonly concurrency: number;
  /** The effect. Acknowledged when it returned; `working` asks for more time; `delivery` counts from 1. */
  readonly handle: Handle<State>;
  /** Runs once before a message is taken aside after its last delivery; what it throws leaves the message to be tried again. */
  readonly onExhausted?: (message: EventMessage<State>, error: unknown) => Promise<void>;
}

export type Handle<State> = (
  message: EventMessage<State>,
  delivery: { readonly working: () => void; readonly count: number },
) => Promise<void>;

const pullMs = 5_000;

/** Thrown by a handler: no other delivery would help, so the message is taken aside at once. `cause` says why. */
export class NonRetryableError extends Error {
  override readonly name = 'NoUseError';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/**
 * Handles the events of a stream, one after the other or `concurrency` at once, each until its effect is durable.
 *
 * Four ways to settle: acknowledge after the effect; come back later after an error; take aside after the last
 * delivery; take aside at once what is no event, or what a handler says is of no use, since trying again cannot help. A message is taken aside by
 * storing it as a dead letter first, so none is ever lost. An effect that NATS has no room for is waited for within the
 * delivery: it would fail for every message, and none must be taken aside for it.
 *
 * A message is asked for only when there is a hand for it: one that waited here behind a long one would run out of its
 * time, be given to another process, and be handled twice.
 */
export const consume = async <State>(bus: Bus, options: ConsumeOptions<State>): Promise<Running> => {
  const consumer = await openDurableConsumer(bus, options, options.concurrency * 64);
  const workers = Array.from({ length: Math.max(1, options.concurrency) }, () => startWorker(bus, options, consumer));
  const handle = (event: EventMessage<State>) => options.handle(event, { working: () => undefined, count: 1 });
  const tasks = [...workers, serveDeadLetterRetries(bus, options, handle)];
  return { stop: async () => void (await Promise.all(tasks.map((part) => part.stop()))) };
};

const startWorker = <State>(bus: Bus, options: ConsumeOptions<State>, consumer: Consumer): Running => {
  const stopping = new AbortController();
  let pull: ConsumerMessages | undefined;
  const next = async (): Promise<JsMsg | undefined> => {
    const fetched = await consumer.fetch({ max_messages: 1, expires: pullMs });
    if (stopping.signal.aborted) {
      // It asks for a message only once it is read; until then its end would never be told to who waits for it.
      void fetched.close();
      return undefined;
    }
    pull = fetched;
    for await (const message of fetched) return message;
    return undefined;
  };
  const work = async (): Promise<void> => {
    for (let failures = 0; !stopping.signal.aborted && !bus.nc.isClosed();) {
      try {
        const message = await next();
        failures = 0;
        if (message === undefined) continue;
        // What came while we were told to stop is not begun: another process may have it at once.
        if (stopping.signal.aborted) message.nak();
        else {
          const spanOptions = () => consumerSpan(options, message.info.deliveryCount);
          const { signal } = stopping;
          await runWithExtractedContext(message, spanOptions, (span) =>
            settle(bus, options, { message, span, signal }),
          );
        }
      } catch (error) {
        if (stopping.signal.aborted || bus.nc.isClosed()) return;
        failures += 1;
        reportFetchFailure(options, error);
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

const settle = async <State>(
  bus: Bus,
  options: ConsumeOptions<State>,
  { message, span, signal }: { message: JsMsg; span: OpenSpan | undefined; signal: AbortSignal },
): Promise<void> => {
  const count = message.info.deliveryCount;
  const deliveriesMax = options.deliveriesMax ?? defaults.deliveriesMax;
  let event: EventMessage<State> | undefined;
  countDelivery(options.durable, count);
  try {
    event = readEvent(message, options.state);
    // Deliveries that ended without an answer took their process with them; one more could do the same.
    if (count > deliveriesMax) throw new Error(`none of ${deliveriesMax} deliveries was answered`);
    await handleWithStorageRetry(options, { message, event, count }, signal);
    message.ack();
    countDeliveryOutcome(options.durable, 'done');
  } catch (error) {
    span?.fail(errorTypeOf(error));
    const exhausted = event === undefined || count >= deliveriesMax || error instanceof NonRetryableError;
    options.onFailure(error, message, exhausted ? 'dead' : 'retry');
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
      options.onFailure(error, message, 'retry');
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
    options.onFailure(cause, message, 'retry');
    message.nak(retryMsMax);
  }
};
