// Writes a tsconfig.production.json for each named package and the libraries it runs on: the same project without its
// tests. It thus compiles without the packages that only tests import.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const projectFile = 'tsconfig.production.json';

const write = (folder) => {
  const { dependencies = {} } = readJson(join(folder, 'package.json'));
  const libraries = readJson(join(folder, 'tsconfig.json'))
    .references.map(({ path }) => resolve(folder, path))
    .filter((library) => readJson(join(library, 'package.json')).name in dependencies);
  const references = libraries.map((library) => ({ path: join(relative(folder, library), projectFile) }));
  const exclude = ['src/**/*.spec.ts', 'src/**/testing'];
  writeFileSync(join(folder, projectFile), JSON.stringify({ extends: './tsconfig.json', exclude, references }));
  for (const library of libraries) write(library);
};

for (const folder of process.argv.slice(2)) write(join(checkout, folder));
