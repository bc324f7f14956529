import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { progressView, type ProgressOut } from './progress.js';

const outOf = (terminal: { isTTY: boolean; columns: number }): { out: ProgressOut; written: () => string } => {
  const stream = new PassThrough({ encoding: 'utf8' });
  const out = { ...terminal, write: (text: string) => stream.write(text) };
  return { out, written: () => String(stream.read() ?? '') };
};

const sentence = 'Waiting for the archive: The archive is busy. (attempt 2 of 9)';

test('on a terminal a message replaces the progress bar, cut to its width, and is removed before other output', () => {
  const { out, written } = outOf({ isTTY: true, columns: 41 });
  const view = progressView(out, () => 0);
  view.printLine(sentence);
  assert.equal(written(), `\r\u001b[K${sentence.slice(0, 40)}`);
  view.clear();
  assert.equal(written(), '\r\u001b[K');
});

test('without a terminal a message is a whole line at once', () => {
  const { out, written } = outOf({ isTTY: false, columns: 41 });
  const view = progressView(out, () => 0);
  view.printLine(sentence);
  view.clear();
  assert.equal(written(), `${sentence}\n`);
});
