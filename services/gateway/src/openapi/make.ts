import { readdir, rm } from 'node:fs/promises';
import { writeGeneratedFile } from '@almanac/runtime';
import { routes } from '../routes/routes.js';
import { openApiOf } from './document.js';
import { errorPages, markdownIndex, markdownOf } from './error-pages.js';

const docs = new URL('../../../../docs/', import.meta.url);
const errors = new URL('errors/', docs);

await writeGeneratedFile(new URL('openapi.json', docs), `${JSON.stringify(openApiOf(routes), undefined, 2)}\n`);

const pages = new Map([
  ['README.md', markdownIndex()],
  ...errorPages.map((page) => [`${page.code}.md`, markdownOf(page)] as const),
]);
for (const [name, text] of pages) await writeGeneratedFile(new URL(name, errors), text);

/** A page without a code remains from a removed code. */
for (const name of await readdir(errors)) {
  if (pages.has(name)) continue;
  if (process.argv.includes('--check')) {
    process.stderr.write(`docs/errors/${name} belongs to no error code. Run: npm run docs:make\n`);
    process.exitCode = 1;
  } else {
    await rm(new URL(name, errors));
  }
}
