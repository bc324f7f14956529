import { errors, type Msg } from '@nats-io/transport-node';
import { z } from 'zod';
import { type Bus, isUnheard } from './bus.js';
import type { DurableOptions, Running } from './durable.js';
import { type EventMessage, readEvent } from './events.js';
import { subjects } from './names.js';
import { handleSpan } from './spans.js';
import { asToldWork } from './told-work.js';

const asked = z.object({ seq: z.int().positive() });
const outcome = z.object({ error: z.string().nullable() });

/**
 * Handles an event of the stream once more when the operator asks for it, beside what the consumer delivers: to append it
 * again would make an old state the last one. Only what the stream itself holds can be asked for.
 */
export const answerRetries = <State>(
  bus: Bus,
  { stream, durable, state }: Pick<DurableOptions<State>, 'stream' | 'durable' | 'state'>,
  handle: (event: EventMessage<State>) => Promise<void>,
): Running => {
  const inHand = new Set<Promise<void>>();
  const again = async ({ data }: Msg): Promise<void> => {
    const { seq } = asked.parse(JSON.parse(Buffer.from(data).toString('utf8')));
    const message = await bus.jsm.streams.getMessage(stream, { seq });
    if (message === null) throw new Error(`${stream} has no message ${seq}`);
    const told = () => handleSpan({ stream, durable }, 1);
    await asToldWork({ headers: message.header }, told, () => handle(readEvent(message, state)));
  };
  const answer = async (message: Msg): Promise<void> => {
    const error = await again(message).then(
      () => null,
      (cause: unknown) => (cause instanceof Error ? cause.message : String(cause)),
    );
    if (!bus.nc.isClosed()) message.respond(JSON.stringify({ error }));
  };
  const listening = bus.nc.subscribe(subjects.retry(durable), {
    queue: durable,
    callback: (failure, message) => {
      // Told by the connection to all that listen to it.
      if (failure !== null) return;
      const answering = answer(message).finally(() => inHand.delete(answering));
      inHand.add(answering);
    },
  });
  return {
    stop: async () => {
      listening.unsubscribe();
      await Promise.all(inHand);
    },
  };
};

/** `done`, or why not, in words. */
export type RetryOutcome = { readonly done: true } | { readonly done: false; readonly why: string };

const answerMs = 120_000;

/** Has a process of the durable's service handle an event once more. */
export const retry = async (bus: Bus, { durable, seq }: { durable: string; seq: number }): Promise<RetryOutcome> => {
  try {
    const answer = await bus.nc.request(subjects.retry(durable), JSON.stringify({ seq }), { timeout: answerMs });
    const { error } = outcome.parse(answer.json());
    return error === null ? { done: true } : { done: false, why: error };
  } catch (error) {
    if (error instanceof errors.TimeoutError) {
      return { done: false, why: `no answer within ${answerMs / 1_000} s; it may be at work still` };
    }
    if (isUnheard(error)) return { done: false, why: `no process of ${durable} runs` };
    throw error;
  }
};
