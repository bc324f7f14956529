import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { StripeFixture } from './stripe-fixture.js';

const program = fileURLToPath(new URL('../main.js', import.meta.url));
const startMs = 60_000;

/** The service as a separate process, which a test can kill with `kill -9` and start again. */
export interface CommerceProcess {
  /** The output of all its runs. */
  readonly output: () => string;
  crash(): Promise<void>;
  stop(): Promise<void>;
}

export const startProcess = async (
  { nats, fakeStripe }: StripeFixture,
  variables: Readonly<Record<string, string>>,
): Promise<CommerceProcess> => {
  let output = '';
  const env = {
    ...process.env,
    NODE_TEST_CONTEXT: undefined,
    LOG_LEVEL: 'debug',
    NATS_URL: nats.url,
    NATS_USER: 'commerce',
    NATS_PASSWORD: 'test',
    STRIPE_SECRET_KEY: fakeStripe.secretKey,
    STRIPE_WEBHOOK_SECRET: fakeStripe.webhookSecret,
    STRIPE_API_URL: fakeStripe.url,
    ...variables,
  };
  const start = async (): Promise<ChildProcess> => {
    const child = fork(program, { env, silent: true, execArgv: ['--enable-source-maps'] });
    const appendOutput = (chunk: unknown): void => void (output += String(chunk));
    child.stdout?.on('data', appendOutput);
    child.stderr?.on('data', appendOutput);
    const signal = AbortSignal.timeout(startMs);
    const died = once(child, 'exit', { signal }).then(() => {
      throw new Error(`the service did not start: ${output.slice(-2_000)}`);
    });
    // It loses the race, and rejects later.
    died.catch(() => undefined);
    await Promise.race([once(child, 'message', { signal }), died]);
    return child;
  };
  const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  let child = await start();
  return {
    output: () => output,
    crash: async () => {
      await end(child, 'SIGKILL');
      child = await start();
    },
    stop: () => end(child, 'SIGTERM'),
  };
};
