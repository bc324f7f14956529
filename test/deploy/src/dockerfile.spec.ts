import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { z } from 'zod';
import { readText, repository } from './repository.js';

interface Instruction {
  readonly word: string;
  readonly rest: string;
}

/** The instructions, one a line, without comments and line continuations. */
const instructionsOf = (text: string): Instruction[] =>
  text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [word = '', ...rest] = line.split(' ');
      return { word, rest: rest.join(' ') };
    });

describe('deploy/Dockerfile', () => {
  let all: Instruction[] = [];
  /** The instructions of the last stage, which is the image. */
  let last: Instruction[] = [];
  const of = (word: string, among = last): string[] => among.filter((one) => one.word === word).map(({ rest }) => rest);
  before(async () => {
    all = instructionsOf(await readText('deploy/Dockerfile'));
    last = all.slice(all.findLastIndex(({ word }) => word === 'FROM'));
  });

  it('takes the image that builds from an argument, which may be a digest, and by default the Node version of the checkout', async () => {
    const { devDependencies } = z
      .object({ devDependencies: z.object({ node: z.string() }) })
      .parse(JSON.parse(await readText('package.json')));
    assert.deepEqual(of('FROM', all), ['${NODE_IMAGE} AS build', 'scratch']);
    assert.deepEqual(all[0], { word: 'ARG', rest: `NODE_IMAGE=node:${devDependencies.node}-bookworm-slim` });
    const compose = await readText('docker-compose.yml');
    const bases = [...compose.matchAll(/NODE_IMAGE:-([^}]+)\}/g)].map(([, base]) => base);
    assert.deepEqual(new Set(bases), new Set([`node:${devDependencies.node}-bookworm-slim`]));
  });

  it('builds in a separate stage, by the script that the tests run, and takes nothing else from it', () => {
    const build = all.slice(0, all.length - last.length);
    assert.deepEqual(of('ARG', build), [of('ARG', all)[0], 'SERVICE']);
    assert.ok(of('RUN', build).some((command) => command.endsWith('deploy/build.sh "${SERVICE}" /app')));
    assert.deepEqual(of('COPY'), ['--from=build /root-files /', '--from=build /app .']);
    assert.deepEqual(of('ADD'), []);
  });

  it('installs nothing in the image, which has no tool to do so', () => {
    assert.deepEqual(of('RUN'), []);
  });

  it('keeps the store of pnpm in the cache mount of every step', () => {
    const [store = ''] = of('ENV', all).filter((variable) => variable.startsWith('PNPM_STORE='));
    const folder = store.replace('PNPM_STORE=', '');
    const steps = of('RUN', all);
    assert.equal(steps.length, 2);
    for (const step of steps) assert.ok(step.includes(`--mount=type=cache,target=${folder} `), step);
  });

  it('runs as a non-root user id, and starts the service without a shell', () => {
    assert.deepEqual(of('USER'), ['1000:1000']);
    assert.ok(last.findIndex(({ word }) => word === 'USER') > last.findLastIndex(({ word }) => word === 'COPY'));
    assert.equal(of('ENV').includes('NODE_ENV=production'), true);
    const [command = ''] = of('CMD');
    const words = z.array(z.string()).parse(JSON.parse(command));
    assert.deepEqual([words[0], words.at(-1)], ['node', 'dist/bundled/main.js']);
    for (const word of ['ENTRYPOINT', 'EXPOSE', 'VOLUME']) assert.deepEqual(of(word), []);
  });
});

describe('deploy/build.sh', () => {
  it('names an unknown service in one sentence', async () => {
    const program = join(repository, 'deploy', 'build.sh');
    await assert.rejects(promisify(execFile)(program, ['nothing', join(tmpdir(), 'nothing')]), (error) => {
      assert.ok(error instanceof Error && 'stderr' in error);
      assert.equal(error.stderr, 'There is no service nothing.\n');
      return true;
    });
  });

  it('installs with the pnpm version of the checkout', async () => {
    const version = /pnpm@[\d.]+/;
    const [here, there] = await Promise.all([readText('deploy/build.sh'), readText('scripts/provision.mjs')]);
    assert.equal(version.exec(here)?.[0], version.exec(there)?.[0]);
  });

  it('compiles no file that imports what only tests have', async () => {
    const parents = ['services', 'libs'].map(async (parent) =>
      (await readdir(join(repository, parent))).map((name) => join(parent, name)),
    );
    const packages = ['operator', ...(await Promise.all(parents)).flat()].filter(
      (folder) => folder !== join('libs', 'testing'),
    );
    const found = await Promise.all(packages.map(testImportsOf));
    assert.ok(packages.length > 10);
    assert.deepEqual(found.flat(), []);
  });
});

const packageJson = z.object({ name: z.string(), dependencies: z.record(z.string(), z.string()).default({}) });
const imported = /\bfrom '([^']+)'|\bimport\('([^']+)'\)/g;

/** The imports of a package's product code that its image does not have: files of tests, and packages for development. */
const testImportsOf = async (folder: string): Promise<string[]> => {
  const { name, dependencies } = packageJson.parse(JSON.parse(await readText(join(folder, 'package.json'))));
  const entries = await readdir(join(repository, folder, 'src'), { recursive: true });
  const files = entries.filter(
    (file) => /\.tsx?$/.test(file) && !file.endsWith('.spec.ts') && !/(^|\/)testing\//.test(file),
  );
  const isMissing = (from: string): boolean => {
    if (from.startsWith('.')) return from.includes('/testing/');
    const [scope = '', second = ''] = from.split('/');
    const named = scope.startsWith('@') ? `${scope}/${second}` : scope;
    return !named.startsWith('node:') && named !== name && !(named in dependencies);
  };
  const texts = await Promise.all(files.map((file) => readText(join(folder, 'src', file))));
  return texts.flatMap((text, index) =>
    Array.from(text.matchAll(imported), ([, from, lazily]) => from ?? lazily ?? '')
      .filter(isMissing)
      .map((from) => `${folder}/src/${files[index]} imports ${from}`),
  );
};
