import { awaitStream, type Bus, connectFromConfig, durables, patterns, readEvent } from '@almanac/bus';
import { exportState } from '@almanac/contracts';
import type { Runtime } from '@almanac/runtime';
import { AckPolicy, type Consumer, DeliverPolicy } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { SubscriberConfig } from './config.js';
import { type Journal, openJournal } from './journal.js';

const stream = 'EVT_EXPORT';
const durable = durables.subscriber;
/** For so long an event waits for a subscriber that was killed with it in hand. */
const ackWaitMs = 5_000;

/**
 * An example for whoever wants to follow the exports: writes every event to a file, once and in order, whatever ends
 * this process. README.md says how to make one of your own.
 *
 * Each event is acknowledged after its line is on the disk, so none is missed. One that comes again (the acknowledgement
 * was lost with the process) has a sequence that the file has already, so none is there twice. That needs them in order:
 * no event is delivered before the one ahead of it is acknowledged.
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
        // One that cannot be read ends this process here, before it is acknowledged: it must not be passed over.
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
    // What it throws was told already, as an error that nobody handled, and led here.
    await writing.catch(() => undefined);
  });
};

/** Made once; it keeps its place between runs. */
const openConsumer = async (bus: Bus): Promise<Consumer> => {
  await awaitStream(bus, stream);
  await bus.jsm.consumers.add(stream, {
    durable_name: durable,
    filter_subject: patterns.allOf(stream),
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(ackWaitMs),
    max_ack_pending: 1,
  });
  return bus.js.consumers.get(stream, durable);
};

/** What was acknowledged was written first: a file that lacks it is not the one that this durable belongs to. */
const requireOwn = async (consumer: Consumer, { lastSeq }: Journal): Promise<void> => {
  const { ack_floor: acknowledged } = await consumer.info();
  if (acknowledged.stream_seq > lastSeq) {
    throw new Error(
      `the file ends at event ${lastSeq}, and ${acknowledged.stream_seq} are acknowledged: it is another`,
    );
  }
};
