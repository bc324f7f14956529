import { processMetrics } from '@almanac/runtime';
import type { JsMsg } from '@nats-io/jetstream';
import { Gauge } from 'prom-client';
import { type Bus, streamOf, type Running } from '../bus.js';
import { defaults, type DurableOptions } from './durable-consumer.js';
import { type EventMessage, isOfNewerRelease, readEvent } from '../streams/events.js';
import { acknowledgedUpTo, nextMessage } from '../streams/jetstream-reads.js';
import { isDiscarded } from '../streams/discarded-events.js';
import { forgetNewerEvent, NewerEventError, noteNewerEvent } from '../streams/newer-event.js';
import { partitionOf, placed } from '../partitions.js';

/** Messages that all processes of a consumer may hold before the server delivers no others. */
export const heldMax = 1_000;

const heldEvents = new Gauge({
  name: 'almanac_held_events',
  help: 'events that this process holds unacknowledged, because only a newer release can handle them',
  labelNames: ['stream', 'consumer'],
  registers: [processMetrics],
});

/** Messages that only a process of a newer release can handle. */
export interface HeldMessages extends Running {
  /**
   * Holds a message until this process stops. Then its ack wait passes, and another process gets it. Not returned
   * earlier, because each delivery counts, and a message with too many deliveries becomes a dead letter. Once the
   * operator has discarded the newer event, it is acknowledged, and the events after it are delivered again.
   */
  hold(message: JsMsg, error: NewerEventError): void;
}

export const heldMessages = <State>(bus: Bus, options: DurableOptions<State>): HeldMessages => {
  const { stream, durable, ackWaitMs = defaults.ackWaitMs } = options;
  const held = new Map<JsMsg, NewerEventError>();
  const count = (): void => heldEvents.set({ stream, consumer: durable }, held.size);
  const end = (): void => {
    clearInterval(timer);
    held.clear();
    count();
  };
  let checking: Promise<void> | undefined;
  const timer = setInterval(() => {
    if (bus.nc.isClosed()) return end();
    for (const message of held.keys()) message.working();
    // An unavailable server is asked again in the next round.
    checking ??= release()
      .catch(() => undefined)
      .finally(() => (checking = undefined));
  }, ackWaitMs / 3);
  const release = async (): Promise<void> => {
    for (const [message, error] of [...held].slice(0, checkedMax)) {
      const { event } = error;
      // The handler may have met the newer event in another stream.
      if (await isDiscarded(bus, streamOf(event.subject), event)) {
        if (!held.delete(message)) continue;
        forgetNewerEvent(bus, event.subject);
        const { subject, seq } = placed(bus, stream, message);
        if (event.subject === subject && event.seq === seq) message.ack();
        else message.nak();
      } else if (held.delete(message)) held.set(message, error);
    }
    count();
  };
  return {
    hold: (message, error) => {
      message.working();
      held.set(message, error);
      count();
      noteNewerEvent(bus, stream, error);
      options.onFailure(error, placed(bus, stream, message), 'retry');
    },
    stop: async () => {
      end();
      await checking;
    },
  };
};

/** Held messages that one round checks. The next round checks the next ones. */
const checkedMax = 25;

const searchedMax = 100;

/**
 * Throws NewerEventError for an event that comes after an unacknowledged one of its subject that needs a newer release.
 * Only subjects that a newer release wrote to are searched, so it costs nothing without a rollout.
 */
export const refuseAfterNewer = async <State>(
  bus: Bus,
  { stream, durable, state }: DurableOptions<State>,
  message: EventMessage<State>,
): Promise<void> => {
  if (!isOfNewerRelease(message)) return;
  const { subject, seq, event } = message;
  let from = (await acknowledgedUpTo(bus, stream, durable, partitionOf(bus, stream, subject))) + 1;
  for (let searched = 0; searched < searchedMax; searched += 1) {
    const earlier = await nextMessage(bus, stream, { subject, seq: from });
    if (earlier === null || earlier.seq >= seq) return;
    try {
      readEvent(earlier, state);
    } catch (error) {
      // A message that is no event is a dead letter, and nothing waits for it.
      if (error instanceof NewerEventError && !(await isDiscarded(bus, stream, error.event))) throw error;
    }
    from = earlier.seq + 1;
  }
  throw new NewerEventError({ subject, seq, type: event.type });
};
