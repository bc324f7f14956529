import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A compiled file with one fragment replaced. */
export interface Mutant {
  /** The end of the file's URL. */
  readonly file: string;
  /** It occurs once. */
  readonly from: string;
  readonly to: string;
}

export const mutantVariable = 'ALMANAC_TEST_MUTANT';

export const mutantOf = (text: string): Mutant => {
  const parts: unknown = JSON.parse(text);
  if (!Array.isArray(parts)) throw new Error(`${mutantVariable} is not set`);
  const [file, from, to] = parts.map(String);
  if (file === undefined || from === undefined || to === undefined) throw new Error(`${mutantVariable} is incomplete`);
  return { file, from, to };
};

const runMsMax = 300_000;

/** A compiled test fails with a mutant, and its output has this. Returns the output. */
export const assertNoticed = async (test: URL, mutant: Mutant, reason = /AssertionError/): Promise<string> => {
  const { passed, output } = await runWithMutant(test, mutant);
  assert.ok(!passed, `the mutant was not noticed: ${output.slice(-2_000)}`);
  assert.match(output, reason, output.slice(-2_000));
  return output;
};

/** In a process of its own. */
const runWithMutant = (
  test: URL,
  { file, from, to }: Mutant,
): Promise<{ readonly passed: boolean; readonly output: string }> =>
  new Promise((resolve) => {
    const { NODE_TEST_CONTEXT: _ofThisTest, ...env } = process.env;
    const preload = new URL('preload-mutant.js', import.meta.url).href;
    execFile(
      process.execPath,
      ['--import', preload, fileURLToPath(test)],
      {
        env: { ...env, [mutantVariable]: JSON.stringify([file, from, to]) },
        timeout: runMsMax,
        maxBuffer: 64 * 1_048_576,
      },
      (error, stdout, stderr) => resolve({ passed: error === null, output: `${stdout}\n${stderr}` }),
    );
  });
