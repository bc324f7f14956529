// Lists the pairs of folders of a package that import each other, with the imports of the rarer direction.
// `node scripts/mutual-folders.mjs [FOLDER …]`. Specs and helpers of tests do not count, nor does the root of a package,
// which starts what is in its folders.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(resolve(dirname(fileURLToPath(import.meta.url)), '..'));
const named = process.argv.slice(2).map((folder) => folder.replace(/\/$/, ''));
const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => existsSync(file) && /\/src\/.+\//.test(file) && !/\.spec\.|-suite\.|\/testing\//.test(file))
  .filter((file) => named.length === 0 || named.some((folder) => file.startsWith(`${folder}/`)));

const packageOf = (file) => file.split('/src/')[0];
const edges = new Map();
for (const file of files) {
  for (const [, specifier] of readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
    const target = join(dirname(file), specifier).replace(/\.js$/, '.ts');
    const [from, to] = [dirname(file), dirname(target)];
    if (from === to || to.endsWith('/src') || packageOf(target) !== packageOf(file)) continue;
    const edge = `${from} ${to}`;
    edges.set(edge, [...(edges.get(edge) ?? []), `${file} → ${target}`]);
  }
}

let pairs = 0;
for (const [edge, imports] of edges) {
  const [from, to] = edge.split(' ');
  const back = edges.get(`${to} ${from}`);
  if (back === undefined || from > to) continue;
  pairs += 1;
  console.log(`${from} ⇄ ${to}`);
  for (const line of back.length < imports.length ? back : imports) console.log(`    ${line}`);
}
console.log(`${pairs} pairs`);
