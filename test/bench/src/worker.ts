import { fork } from 'node:child_process';
import { on, once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** A program of this folder as a separate process, which answers one request after the other. */
export interface Worker {
  send<Schema extends z.ZodType>(requestMessage: object, answer: Schema): Promise<z.output<Schema>>;
  stop(): Promise<void>;
}

/** An answer that comes too late must not be taken for that of the next request. */
const numbered = z.object({ number: z.number() });
const request = numbered.extend({ requestMessage: z.unknown() });
const reply = z.union([numbered.extend({ value: z.unknown() }), numbered.extend({ error: z.string() })]);
const answerMsMax = 120_000;

export const startWorker = (program: string): Worker => {
  const child = fork(fileURLToPath(new URL(`./${program}.js`, import.meta.url)), { serialization: 'advanced' });
  const exited = once(child, 'exit');
  let requests = 0;
  const replyTo = async (sent: number): Promise<z.output<typeof reply>> => {
    const signal = AbortSignal.timeout(answerMsMax);
    for await (const [message] of on(child, 'message', { signal })) {
      const parsed = reply.parse(message);
      if (parsed.number === sent) return parsed;
    }
    throw new Error(`${program} sends no more messages`);
  };
  const ended = exited.then(() => {
    throw new Error(`${program} ended before it answered`);
  });
  ended.catch(() => undefined);
  return {
    send: async (requestMessage, schema) => {
      const number = (requests += 1);
      const answered = replyTo(number);
      child.send({ number, requestMessage });
      const parsed = await Promise.race([answered, ended]);
      if ('error' in parsed) throw new Error(parsed.error);
      return schema.parse(parsed.value);
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await exited;
    },
  };
};

/** Runs work with a worker of its own, whose memory is that of this work alone. */
export const withWorker = async <T>(program: string, work: (worker: Worker) => Promise<T>): Promise<T> => {
  const worker = startWorker(program);
  try {
    return await work(worker);
  } finally {
    await worker.stop();
  }
};

/** The child side: answers the parent's requests, and ends with the parent. */
export const answerParent = (answer: (requestMessage: unknown) => Promise<unknown>): void => {
  process.on('message', (message) => {
    const { number, requestMessage } = request.parse(message);
    answer(requestMessage).then(
      (value) => process.send?.({ number, value }),
      (error: unknown) => process.send?.({ number, error: error instanceof Error ? error.message : String(error) }),
    );
  });
  // Ctrl-C reaches every process of the terminal. The parent finishes its step first.
  process.on('SIGINT', () => undefined);
  process.on('disconnect', () => process.exit());
};
