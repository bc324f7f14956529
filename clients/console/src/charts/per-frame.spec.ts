import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { perFrame } from './per-frame.js';

describe('work of a frame', () => {
  let callbacks: (() => void)[] = [];
  const reported: unknown[] = [];
  const nextFrame = (): void => {
    const due = callbacks;
    callbacks = [];
    for (const callback of due) callback();
  };
  before(() => {
    Object.assign(globalThis, {
      requestAnimationFrame: (callback: () => void) => callbacks.push(callback),
      reportError: (error: unknown) => reported.push(error),
    });
  });
  after(() => {
    for (const name of ['requestAnimationFrame', 'reportError']) Reflect.deleteProperty(globalThis, name);
  });

  it('is done once, in one callback for all that follow, and again only when it is requested', () => {
    const done: string[] = [];
    const [one, other] = ['one', 'other'].map((name) => perFrame(() => void done.push(name)));
    for (const frame of [one, other, one]) frame?.request();
    assert.equal(callbacks.length, 1);
    nextFrame();
    assert.deepEqual(done, ['one', 'other']);
    assert.equal(callbacks.length, 0);
    other?.request();
    nextFrame();
    assert.deepEqual(done, ['one', 'other', 'other']);
  });

  it('is not done once it is stopped, also by what runs before it, and does not end with a fault of another', () => {
    const done: string[] = [];
    const last = perFrame(() => void done.push('last'));
    const stopped = perFrame(() => void done.push('stopped'));
    const stopping = perFrame(() => {
      stopped.stop();
      throw new Error('a fault');
    });
    for (const frame of [stopping, stopped, last]) frame.request();
    nextFrame();
    assert.deepEqual(done, ['last']);
    assert.equal(reported.length, 1);
    stopped.request();
    nextFrame();
    assert.deepEqual(done, ['last', 'stopped']);
  });
});
