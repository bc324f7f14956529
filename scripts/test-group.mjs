// Runs test files one after the other in this process, each as a suite of its name. To load the modules of a service takes
// longer than most of its test files.
import { AsyncResource } from 'node:async_hooks';
import { writeFileSync } from 'node:fs';
import { after, before, describe } from 'node:test';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { processorSeconds } from './processor-seconds.mjs';

const { ALMANAC_TEST_USAGE: usageFile } = process.env;
/** Of each file: {seconds, own, started}, of its loading and of its tests. */
const usage = {};

const now = () => ({ seconds: performance.now() / 1_000, ...processorSeconds() });
const add = (file, begin) => {
  const end = now();
  usage[file] ??= { seconds: 0, own: 0, started: 0 };
  for (const figure of Object.keys(begin)) usage[file][figure] += end[figure] - begin[figure];
};

/** Loads a file. Node's runner adds its tests to the suite in whose asynchronous context it is loaded. */
const load = async (file) => {
  const begin = now();
  try {
    await import(pathToFileURL(resolve(file)));
  } finally {
    add(file, begin);
  }
};

let loading = Promise.resolve();
for (const file of process.argv.slice(2)) {
  void describe(file, async () => {
    let begin = now();
    before(() => (begin = now()));
    const loadHere = AsyncResource.bind(() => load(file));
    const loaded = loading.then(loadHere);
    loading = loaded.catch(() => undefined);
    const afterAll = AsyncResource.bind(() => after(() => add(file, begin)));
    await loaded;
    // After the file's own.
    afterAll();
  });
}
if (usageFile !== undefined) process.on('exit', () => writeFileSync(usageFile, JSON.stringify(usage)));
