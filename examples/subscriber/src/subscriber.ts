import { awaitStream, type Bus, connectFromConfig, durables, patterns, readEvent } from '@almanac/bus';
import { exportState } from '@almanac/contracts';
import type { Runtime } from '@almanac/runtime';
import { AckPolicy, type Consumer, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { SubscriberConfig } from './config.js';
import { type Journal, openJournal } from './journal.js';

const stream = 'EVT_EXPORT';
const durable = durables.subscriber;
/** How long an event waits for a subscriber that was killed while handling it. */
const ackWaitMs = 5_000;

/**
 * An example for a process that follows the exports: it writes every event to a file, once and in order, whatever ends
 * this process. README.md says how to write your own.
 *
 * Each event is acknowledged after its line is on disk, so none is missed. A redelivered event (the acknowledgement was
 * lost with the process) has a sequence that the file already has, so none is written twice. This needs the order of
 * the stream: no event is delivered before the previous one is acknowledged.
 */
export const startSubscriber = async (config: SubscriberConfig, runtime: Runtime): Promise<void> => {
  const journal = await openJournal(config.SUBSCRIBER_FILE);
  runtime.onStop('journal', () => journal.close());
  const bus = await connectFromConfig(config, runtime);
  const consumer = await openConsumer(bus);
  await requireOwn(consumer, journal);
  const messages = await consumer.consume({ max_messages: 10 });
  let stopping = false;
  const writing = (async () => {
    for await (const message of messages) {
      if (message.seq > journal.lastSeq) {
        // An unreadable event ends this process before its acknowledgement: it must not be skipped.
        const { subject, seq, event } = readEvent(message, exportState);
        await journal.append({ seq, subject, ...event });
      }
      message.ack();
    }
    if (!stopping) throw new Error('the consumer ended');
  })();
  runtime.onStop('events', async () => {
    stopping = true;
    await messages.close();
    // Its error was already reported as an unhandled error, which caused this stop.
    await writing.catch(() => undefined);
  });
};

/** Created once. It keeps its position between runs. */
const openConsumer = async (bus: Bus): Promise<Consumer> => {
  await awaitStream(bus, stream);
  const manager = await jetstreamManager(bus.streams, { checkAPI: false });
  await manager.consumers.add(stream, {
    durable_name: durable,
    filter_subject: patterns.allOf(stream),
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(ackWaitMs),
    max_ack_pending: 1,
  });
  return jetstream(bus.streams).consumers.get(stream, durable);
};

/** An acknowledged event was written first. A file without it does not belong to this durable consumer. */
const requireOwn = async (consumer: Consumer, { lastSeq }: Journal): Promise<void> => {
  const { ack_floor: acknowledged } = await consumer.info();
  if (acknowledged.stream_seq > lastSeq) {
    throw new Error(
      `the file ends at event ${lastSeq}, and ${acknowledged.stream_seq} are acknowledged: it is another`,
    );
  }
};
