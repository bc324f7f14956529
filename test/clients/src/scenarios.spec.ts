import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { readScenarios } from './scenario.js';
import { calls } from './typescript-driver.js';

const root = new URL('../../../', import.meta.url);
const file = new URL('../scenarios.yaml', import.meta.url);
const document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))) });

const typescript = new URL('clients/typescript/src/', root);

/** Operations that the TypeScript client names. */
const operationsOfClient = async (): Promise<ReadonlySet<string>> => {
  const files = (await readdir(typescript, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const sources = await Promise.all(files.map((name) => readFile(new URL(name, typescript), 'utf8')));
  return new Set(sources.flatMap((text) => [...text.matchAll(/\boperation: '(\w+)'/g)].map(([, name = '']) => name)));
};

describe('the scenarios', () => {
  it('make every call of every operation of the API succeed', async () => {
    const { paths } = document.parse(JSON.parse(await readFile(new URL('docs/openapi.json', root), 'utf8')));
    const operations = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    const used = await operationsOfClient();
    assert.deepEqual(
      operations.filter((operation) => !used.has(operation)),
      [],
    );
    const { scenarios } = await readScenarios(file);
    const succeeding = scenarios.flatMap(({ steps }) => steps).filter(({ error }) => error === undefined);
    const made = new Set(succeeding.map(({ call }) => call));
    assert.deepEqual(
      Object.keys(calls).filter((call) => !made.has(call)),
      [],
    );
  });

  it('provoke every error code, or say why not', async () => {
    const pages = await readdir(new URL('docs/errors/', root));
    const codes = pages.filter((page) => page !== 'README.md').map((page) => page.replace('.md', ''));
    const { scenarios, not_provoked } = await readScenarios(file);
    const provoked = new Set(scenarios.flatMap(({ steps }) => steps.map(({ error }) => error?.['code'])));
    const missing = codes.filter((code) => !provoked.has(code) && !(code in not_provoked));
    assert.deepEqual(missing, []);
    assert.deepEqual(
      Object.keys(not_provoked).filter((code) => provoked.has(code)),
      [],
    );
  });
});
