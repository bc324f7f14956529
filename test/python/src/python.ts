import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { findBinary } from '@almanac/local';
import { z } from 'zod';

export const clientFolder = fileURLToPath(new URL('../../../clients/python/', import.meta.url));

/** One test of pytest. */
const outcome = z.object({
  name: z.string(),
  outcome: z.enum(['passed', 'failed', 'skipped']),
  text: z.string(),
});
export type PythonOutcome = z.output<typeof outcome>;

/** Runs a module of Python with Debian's packages, in the folder of the client. */
export const runPython = async (
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> => {
  const child = spawn(await findBinary('python/python3'), args, {
    cwd: clientFolder,
    // Bytecode of another user or version must not lie in the checkout.
    env: { ...process.env, PYTHONPATH: join(clientFolder, 'src'), PYTHONDONTWRITEBYTECODE: '1', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 280_000,
  });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code, output: out + errors };
};

/** Runs pytest, and returns the outcome of each test. `report` is the file that the tests' conftest.py writes. */
export const runPytest = async (
  report: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<readonly PythonOutcome[]> => {
  const environment = { ...variables, ALMANAC_TEST_REPORT: report };
  const { code, output } = await runPython(['-m', 'pytest', '-q', ...args], environment);
  // 1 means that tests failed, which the report shows. Other codes mean that pytest itself failed.
  if (code !== 0 && code !== 1) throw new Error(`pytest ended with ${code}:\n${output.slice(-4_000)}`);
  const lines = (await readFile(report, 'utf8')).trimEnd().split('\n');
  const outcomes = lines.map((line) => outcome.parse(JSON.parse(line)));
  if (code === 1 && outcomes.every((each) => each.outcome !== 'failed')) throw new Error(output.slice(-4_000));
  return outcomes;
};
