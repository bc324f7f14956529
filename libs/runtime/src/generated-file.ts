import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Writes a generated file of the repository. With `--check` on the command line it writes nothing, and the exit code
 * says whether the file is outdated.
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
