import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Measures what a garbage collection leaves, in MB: the heap and buffers. */
export const memoryMeter = (): (() => number) => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  assert.ok(typeof collect === 'function');
  return () => {
    Reflect.apply(collect, undefined, []);
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 1e6;
  };
};
