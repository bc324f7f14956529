import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { changes } from './changes.js';

test('the next release of the full run is made by replacing texts that this release has', async () => {
  for (const [file, replacements] of Object.entries(changes)) {
    const source = await readFile(new URL(`../../../../${file}`, import.meta.url), 'utf8');
    for (const [text] of replacements) assert.ok(source.includes(text), `${file} lacks ${text}`);
  }
});
