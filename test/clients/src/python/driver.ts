import { createInterface } from 'node:readline';
import type { ClientDriver, Outcome } from '../client-driver.js';
import { type Python, startPython } from './python.js';

/** One process of Python makes all calls: it gets each as a line, and answers with a line. */
export const startPythonDriver = async (): Promise<ClientDriver> => {
  const python = await startPython(['tests/scenario_driver.py']);
  const ended = new Promise<never>((_, reject) => {
    python.once('error', reject).once('exit', (code) => reject(new Error(`The Python driver ended with ${code}.`)));
  });
  ended.catch(() => undefined);
  python.stderr.pipe(process.stderr);
  const answers = answersOf(python);
  return {
    run: async (call) => {
      python.stdin.write(`${JSON.stringify(call)}\n`);
      const answer = await Promise.race([answers.next(), ended]);
      return JSON.parse(answer.value) as Outcome;
    },
    stop: async () => {
      python.stdin.end();
      await ended.catch(() => undefined);
    },
  };
};

async function* answersOf({ stdout }: Python): AsyncGenerator<string, string> {
  yield* createInterface({ input: stdout });
  throw new Error('The Python driver has no more answers.');
}
