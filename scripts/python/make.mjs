// npm run docs:make: writes the generated sources of the Python client. With --check, it only compares them.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { adviceOf } from '../../clients/generator/dist/error-advice.js';
import { openApiDocument, operationsOf } from '../../clients/generator/dist/operations.js';
import { errorPages } from '../../services/gateway/dist/openapi/error-pages.js';
import { main, repository, StepError } from '../steps.mjs';
import { modelsText } from './models.mjs';
import { adviceText, operationsText } from './operations.mjs';
import { referenceText } from './reference.mjs';
import { synchronousFiles } from './synchronous.mjs';

const client = join(repository, 'clients', 'python');
const source = join(client, 'src', 'almanac');

/** Every generated file with its text. */
const generated = () => {
  const document = JSON.parse(readFileSync(join(repository, 'docs', 'openapi.json'), 'utf8'));
  const folders = [source, join(client, 'tests')].flatMap((folder) =>
    synchronousFiles(join(folder, '_async')).map(([file, text]) => [join(folder, '_sync', file), text]),
  );
  const made = new Map(folders);
  const read = (file) => made.get(join(source, file)) ?? readFileSync(join(source, file), 'utf8');
  return new Map([
    [join(client, 'REFERENCE.md'), referenceText(read)],
    [join(source, 'models.py'), modelsText(document)],
    [join(source, '_core', 'operations.py'), operationsText(operationsOf(openApiDocument.parse(document)))],
    [join(source, '_core', 'advice.py'), adviceText(adviceOf(errorPages))],
    ...folders,
  ]);
};

const textOf = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

/** Generated files whose source was deleted. */
const leftovers = (files) =>
  [source, join(client, 'tests')]
    .map((folder) => join(folder, '_sync'))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
    .filter((path) => path.endsWith('.py') && !files.has(path));

await main(() => {
  const files = generated();
  const old = leftovers(files);
  const changed = [...files].filter(([path, text]) => textOf(path) !== text);
  if (process.argv.includes('--check')) {
    const wrong = [...changed.map(([path]) => path), ...old].map((path) => relative(repository, path));
    if (wrong.length > 0) throw new StepError(`Run npm run docs:make: ${wrong.join(', ')} would change.`);
    console.log(`${files.size} generated files of the Python client are up to date.`);
    return;
  }
  for (const path of old) rmSync(path);
  for (const [path, text] of changed) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  console.log(`${changed.length} of ${files.size} generated files of the Python client changed.`);
});
