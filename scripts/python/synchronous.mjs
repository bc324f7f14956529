// Writes the synchronous sources of the Python client from the asynchronous ones, which are the only ones to edit.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** In this order. Each changes words only, so both sources have the same lines. */
const replacements = [
  [/\bfrom asyncio import sleep\b/g, 'from time import sleep'],
  [/\bcontextlib import asynccontextmanager\b/g, 'contextlib import contextmanager'],
  [/@asynccontextmanager\b/g, '@contextmanager'],
  [/\basync (def|with|for)\b/g, '$1'],
  [/\bawait /g, ''],
  [/\bawaiting /g, ''],
  [/\b__aenter__\b/g, '__enter__'],
  [/\b__aexit__\b/g, '__exit__'],
  [/\b__aiter__\b/g, '__iter__'],
  [/\b__anext__\b/g, '__next__'],
  [/\bAwaitable\[(\w+)\]/g, '$1'],
  [/\bAsync(Iterator|Generator|Client|ByteStream|Iterable)\b/g, '$1'],
  [/\bAbstractAsyncContextManager\b/g, 'AbstractContextManager'],
  [/\ba(close|iter_lines|iter_raw|iter_bytes|read)\(/g, '$1('],
  [/\b_async\b/g, '_sync'],
  [/\bAsync([A-Z]\w*)/g, '$1'],
];

/** The files to write, by name, with their text. */
export const synchronousFiles = (from) =>
  readdirSync(from)
    .filter((file) => file.endsWith('.py'))
    .toSorted()
    .map((file) => [file, synchronousText(readFileSync(join(from, file), 'utf8'), file)]);

const synchronousText = (text, file) => {
  const changed = replacements.reduce((all, [pattern, to]) => all.replaceAll(pattern, to), text);
  return `# Made by \`npm run docs:make\` from _async/${file}; do not edit.\n${changed}`;
};
