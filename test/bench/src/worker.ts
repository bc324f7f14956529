import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** A program of this folder as a separate process, which answers one request after the other. */
export interface Worker {
  readonly pid: number;
  send<Schema extends z.ZodType>(requestMessage: object, answer: Schema): Promise<z.output<Schema>>;
  stop(): Promise<void>;
}

const reply = z.union([z.object({ value: z.unknown() }), z.object({ error: z.string() })]);
const answerMsMax = 120_000;

export const startWorker = (program: string): Worker => {
  const child = fork(fileURLToPath(new URL(`./${program}.js`, import.meta.url)), { serialization: 'advanced' });
  const exited = once(child, 'exit');
  return {
    pid: child.pid ?? 0,
    send: async (requestMessage, schema) => {
      const timeout = AbortSignal.timeout(answerMsMax);
      const answered: Promise<unknown[]> = once(child, 'message', { signal: timeout });
      child.send(requestMessage);
      const [message] = await Promise.race([
        answered,
        exited.then(() => {
          throw new Error(`${program} ended before it answered`);
        }),
      ]);
      const parsed = reply.parse(message);
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

/** The child side: answers the parent's requests, and ends with the parent. */
export const answerParent = (answer: (requestMessage: unknown) => Promise<unknown>): void => {
  process.on('message', (requestMessage) => {
    answer(requestMessage).then(
      (value) => process.send?.({ value }),
      (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
    );
  });
  // Ctrl-C reaches every process of the terminal. The parent finishes its step first.
  process.on('SIGINT', () => undefined);
  process.on('disconnect', () => process.exit());
};
