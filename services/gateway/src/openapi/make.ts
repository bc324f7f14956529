import { readFile, writeFile } from 'node:fs/promises';
import { routes } from '../routes/routes.js';
import { openApiOf } from './document.js';

/** Writes docs/openapi.json; with `--check` it only tells, by its exit code, whether that is needed. */
const file = new URL('../../../../docs/openapi.json', import.meta.url);
const text = `${JSON.stringify(openApiOf(routes), undefined, 2)}\n`;

if (process.argv.includes('--check')) {
  const written = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (written !== text) {
    process.stderr.write('docs/openapi.json is not what the contracts say. Run: npm run docs:make\n');
    process.exitCode = 1;
  }
} else {
  await writeFile(file, text);
  process.stdout.write('Wrote docs/openapi.json\n');
}
