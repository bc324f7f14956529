// The workflows of .github, without running them: their schema, pinned actions, rights, and the parts of the tests.
// fixtures/github-workflow.json is that of SchemaStore at 3b6446ad8a07 (Apache-2.0).
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Ajv } from 'ajv';
import { z } from 'zod';
import { readText, readYaml, repository } from './repository.js';

const folder = '.github/workflows';
const workflow = z.looseObject({
  permissions: z.record(z.string(), z.string()),
  concurrency: z.looseObject({ group: z.string() }),
  jobs: z.record(z.string(), z.looseObject({ 'timeout-minutes': z.number() })),
});
const testsWorkflow = z.object({
  jobs: z.object({
    tests: z.object({
      strategy: z.object({ matrix: z.object({ include: z.array(z.object({ name: z.string(), parts: z.string() })) }) }),
    }),
  }),
});
const packageJson = z.object({ scripts: z.record(z.string(), z.string()) });

type Files = readonly string[];
type IsOfKind = (options: Readonly<Record<string, boolean>>) => (file: string) => boolean;
const isFunction = (value: unknown): boolean => typeof value === 'function';
const testFilesScript = z.object({
  testFiles: z.custom<() => Files>(isFunction),
  isOfKind: z.custom<IsOfKind>(isFunction),
  namedIn: z.custom<(files: Files, parts: Files) => Files>(isFunction),
});

describe('the workflows', () => {
  let names: string[];
  before(async () => {
    names = (await readdir(join(repository, folder))).map((name) => join(folder, name));
    assert.ok(names.length > 3);
  });

  it('have the published schema', async () => {
    const schema: unknown = JSON.parse(await readText('test/deploy/fixtures/github-workflow.json'));
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(z.looseObject({}).parse(schema));
    for (const name of names) {
      const [content] = await readYaml(name);
      assert.ok(validate(content), `${name}: ${JSON.stringify(validate.errors?.at(0))}`);
    }
    assert.ok(!validate({ on: 'push', jobs: { a: { 'runs-on': 'x', steps: [{ uses: 'a/b@c', times: 1 }] } } }));
  });

  it('may only read by default, end by themselves, and do not run twice at once', async () => {
    for (const name of names) {
      const [content] = await readYaml(name);
      const { permissions, jobs } = workflow.parse(content, { error: () => name });
      assert.deepEqual(permissions, { contents: 'read' }, name);
      for (const [job, { 'timeout-minutes': minutes }] of Object.entries(jobs)) assert.ok(minutes <= 240, job);
    }
  });

  it('pin each action to a commit, with its version beside it', async () => {
    let pinned = 0;
    for (const name of [...names, '.github/actions/prepare/action.yml']) {
      for (const [, used = ''] of (await readText(name)).matchAll(/uses: (.*)/g)) {
        if (used.startsWith('./')) continue;
        assert.match(used, /^[\w-]+(?:\/[\w-]+)+@[\da-f]{40} # v\d+\.\d+\.\d+$/, name);
        pinned += 1;
      }
    }
    assert.ok(pinned > 5);
  });

  it('run scripts that exist', async () => {
    const { scripts } = packageJson.parse(JSON.parse(await readText('package.json')));
    for (const name of names) {
      for (const [, script = ''] of (await readText(name)).matchAll(/npm (?:run )?([a-z:]+)(?= |$)/gm)) {
        assert.ok(script in scripts, `${name}: npm run ${script}`);
      }
    }
  });

  it('have each test file of npm test in exactly one job', async () => {
    const [content] = await readYaml(join(folder, 'tests.yml'));
    const { include } = testsWorkflow.parse(content).jobs.tests.strategy.matrix;
    const script: unknown = await import(pathToFileURL(join(repository, 'scripts/test-files.mjs')).href);
    const files = testFilesScript.parse(script);
    const gate = files.testFiles().filter(files.isOfKind({}));
    assert.ok(gate.length > 300);
    const jobsOf = (file: string) =>
      include.filter(({ parts }) => files.namedIn([file], parts.split(/\s+/)).length > 0).map(({ name }) => name);
    const wrong = gate.map((file) => ({ file, jobs: jobsOf(file) })).filter(({ jobs }) => jobs.length !== 1);
    assert.deepEqual(wrong, []);
  });
});
