import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { z } from 'zod';
import { readText } from './repository.js';

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

  it('takes every base image from an argument, which may be a digest, and by default the Node version of the checkout', async () => {
    const { devDependencies } = z
      .object({ devDependencies: z.object({ node: z.string() }) })
      .parse(JSON.parse(await readText('package.json')));
    assert.deepEqual(of('FROM', all), ['${NODE_IMAGE} AS build', '${NODE_IMAGE}']);
    assert.deepEqual(all[0], { word: 'ARG', rest: `NODE_IMAGE=node:${devDependencies.node}-bookworm-slim` });
    const compose = await readText('docker-compose.yml');
    const bases = [...compose.matchAll(/NODE_IMAGE:-([^}]+)\}/g)].map(([, base]) => base);
    assert.deepEqual(new Set(bases), new Set([`node:${devDependencies.node}-bookworm-slim`]));
  });

  it('builds in a separate stage, by the script that the tests run, and takes nothing else from it', () => {
    const build = all.slice(0, all.length - last.length);
    assert.deepEqual(of('ARG', build), [of('ARG', all)[0], 'SERVICE']);
    assert.ok(of('RUN', build).some((command) => command.endsWith('deploy/build.sh "${SERVICE}" /app')));
    assert.deepEqual(of('COPY'), ['--from=build /app .']);
    assert.deepEqual(of('ADD'), []);
  });

  it('leaves no package manager or build tool in the image, and installs nothing', () => {
    const commands = of('RUN').join(' && ').split(' && ');
    const [remove = '', ...others] = commands;
    const removed = remove.split(' ');
    assert.deepEqual(removed.slice(0, 2), ['rm', '-rf']);
    // Everything in the node image except node: npm, corepack, headers and yarn.
    for (const path of ['lib/node_modules', 'include/node', 'bin/npm', 'bin/npx', 'bin/corepack', 'bin/yarn']) {
      assert.ok(removed.includes(`/usr/local/${path}`), path);
    }
    assert.ok(removed.includes('/usr/local/bin/yarnpkg') && removed.includes('/opt/yarn-*'));
    assert.deepEqual(others, ['install -d -o 1000 -g 1000 /var/lib/almanac']);
  });

  it('runs as a non-root user id, and starts the service without a shell', () => {
    assert.deepEqual(of('USER'), ['1000:1000']);
    assert.ok(last.findIndex(({ word }) => word === 'USER') > last.findLastIndex(({ word }) => word === 'RUN'));
    assert.equal(of('ENV').includes('NODE_ENV=production'), true);
    const [command = ''] = of('CMD');
    const words = z.array(z.string()).parse(JSON.parse(command));
    assert.deepEqual([words[0], words.at(-1)], ['node', 'dist/main.js']);
    for (const word of ['ENTRYPOINT', 'EXPOSE', 'VOLUME']) assert.deepEqual(of(word), []);
  });
});
