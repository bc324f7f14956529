import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

test('only this folder imports the Stripe SDK, and the fake imports its types', async () => {
  const { references } = z
    .object({ references: z.array(z.object({ path: z.string() })) })
    .parse(JSON.parse(await readFile(join(repository, 'tsconfig.json'), 'utf8')));
  const sources: string[] = [];
  for (const { path: project } of references) {
    const source = join(repository, project, 'src');
    const paths = existsSync(source) ? await readdir(source, { recursive: true }) : [];
    sources.push(...paths.filter((path) => path.endsWith('.ts')).map((path) => join(source, path)));
  }
  const importing: string[] = [];
  for (const source of sources) {
    const path = relative(repository, source);
    const text = await readFile(source, 'utf8');
    const code = path.startsWith('local/stripe/src/') ? text.replaceAll(/^import type .*$/gm, '') : text;
    if (/from 'stripe[/']|import\('stripe/.test(code)) importing.push(path);
  }
  assert.ok(importing.length > 0);
  assert.deepEqual(
    importing.filter((path) => !path.startsWith('services/commerce/src/stripe/')),
    [],
  );
});
