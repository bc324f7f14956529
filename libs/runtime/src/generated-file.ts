import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Writes a file of the repository that is made from code; where the command line says `--check` it only tells, by the
 * exit code, whether that is needed.
 */
export const writeGeneratedFile = async (file: URL, text: string): Promise<void> => {
  const name = basename(fileURLToPath(file));
  if (!process.argv.includes('--check')) {
    await writeFile(file, text);
    process.stdout.write(`Wrote ${name}\n`);
    return;
  }
  const written = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (written === text) return;
  process.stderr.write(`${name} does not match the code. Run: npm run docs:make\n`);
  process.exitCode = 1;
};
