import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

test('the SDK of Stripe is known in this folder alone, so that nothing else depends on it', async () => {
  const sources: string[] = [];
  for (const folder of ['libs', 'services', 'deploy', 'test']) {
    for (const name of await readdir(join(repository, folder))) {
      const source = join(repository, folder, name, 'src');
      const paths = existsSync(source) ? await readdir(source, { recursive: true }) : [];
      sources.push(...paths.filter((path) => path.endsWith('.ts')).map((path) => join(source, path)));
    }
  }
  const importing: string[] = [];
  for (const path of sources) {
    if (/from 'stripe[/']|import\('stripe/.test(await readFile(path, 'utf8')))
      importing.push(relative(repository, path));
  }
  assert.ok(importing.length > 0);
  assert.deepEqual(
    importing.filter((path) => !path.startsWith('services/commerce/src/stripe/')),
    [],
  );
});
