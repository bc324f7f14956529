import { errors, type Msg } from '@nats-io/transport-node';
import { z } from 'zod';
import { type Bus, hasNoResponders, type Running } from '../bus.js';
import type { DurableOptions } from './durable-consumer.js';
import { type EventMessage, readEvent } from '../streams/events.js';
import { messageAt } from '../streams/jetstream-reads.js';
import { subjects } from '../names.js';
import { serveOperatorRequests } from '../process/operator-requests.js';
import { consumerSpan } from '../tracing/spans.js';
import { runWithExtractedContext } from '../tracing/trace-propagation.js';

const retryRequest = z.object({ seq: z.int().positive() });
const retryReply = z.object({ error: z.string().nullable() });

/**
 * Handles an event of the stream once more at the operator's request, outside the consumer's deliveries. Appending
 * the event again would make an old state the current one. Only events in the stream can be retried.
 */
export const serveDeadLetterRetries = <State>(
  bus: Bus,
  { stream, durable, state }: Pick<DurableOptions<State>, 'stream' | 'durable' | 'state'>,
  handle: (event: EventMessage<State>) => Promise<void>,
): Running => {
  const redeliver = async ({ data }: Msg): Promise<void> => {
    const { seq } = retryRequest.parse(JSON.parse(Buffer.from(data).toString('utf8')));
    const message = await messageAt(bus, stream, seq);
    if (message === null) throw new Error(`${stream} has no message ${seq}`);
    const spanOptions = () => consumerSpan({ stream, durable }, 1);
    await runWithExtractedContext({ headers: message.header }, spanOptions, () => handle(readEvent(message, state)));
  };
  const answer = async (message: Msg): Promise<void> => {
    const error = await redeliver(message).then(
      () => null,
      (cause: unknown) => (cause instanceof Error ? cause.message : String(cause)),
    );
    if (!bus.nc.isClosed()) message.respond(JSON.stringify({ error }));
  };
  return serveOperatorRequests(bus, { subject: subjects.retry(durable), queue: durable }, answer);
};

/** `done`, or a sentence with the reason. */
export type DeadLetterRetryResult = { readonly done: true } | { readonly done: false; readonly why: string };

const replyTimeoutMs = 120_000;

export const retryDeadLetter = async (
  bus: Bus,
  { durable, seq }: { durable: string; seq: number },
): Promise<DeadLetterRetryResult> => {
  try {
    const answer = await bus.nc.request(subjects.retry(durable), JSON.stringify({ seq }), { timeout: replyTimeoutMs });
    const { error } = retryReply.parse(answer.json());
    return error === null ? { done: true } : { done: false, why: error };
  } catch (error) {
    if (error instanceof errors.TimeoutError) {
      return { done: false, why: `no answer within ${replyTimeoutMs / 1_000} s; it may be at work still` };
    }
    if (hasNoResponders(error)) return { done: false, why: `no process of ${durable} runs` };
    throw error;
  }
};
