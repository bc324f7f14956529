import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { eventually } from '@almanac/testing';
import { recordedLine, Recording, type RecordingOptions } from './recording.js';
import { filesBelow } from './testing/files-below.js';

const opened = async (context: TestContext, options: Partial<RecordingOptions> = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'recording-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const bounds = { partBytes: 1_000_000, partMs: 3_600_000, waitingBytesMax: 10_000 };
  const recording = await Recording.open({
    folder,
    ...bounds,
    onFault: (error) => assert.fail(String(error)),
    ...options,
  });
  return { recording, folder };
};

const textIn = (folder: string): string =>
  filesBelow(folder)
    .map((file) => (file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file)).toString('utf8'))
    .join('');

test('lines have the order of their arrival and the format of other recorders', async (context) => {
  const { recording, folder } = await opened(context);
  recording.append({ us: 1_776_490_453_460_692, raw: '{"type":"subscribed"}\n' });
  recording.append({ us: 1_776_490_453_460_700, lost: 'the "connection"' });
  assert.ok(await recording.close(60_000));
  const text = textIn(folder);
  assert.strictEqual(
    text,
    String.raw`{"recv_ts_ns": 1776490453460692000, "raw": "{\"type\":\"subscribed\"}\n"}` +
      '\n' +
      String.raw`{"recv_ts_ns": 1776490453460700000, "lost": "the \"connection\""}` +
      '\n',
  );
  assert.strictEqual(recording.bytes(), Buffer.byteLength(text));
});

test('a recording in many parts has every line once, and all but the last part are compressed', async (context) => {
  const { recording, folder } = await opened(context, { partBytes: 2_000 });
  const lines = Array.from({ length: 1_000 }, (_, us) => us);
  let bytes = 0;
  for (const us of lines) {
    const line = { us, raw: 'é'.repeat(us % 50) };
    recording.append(line);
    bytes += Buffer.byteLength(recordedLine(line));
    // A part ends only between two writes.
    if (us % 100 === 99) await eventually(() => assert.strictEqual(recording.bytes(), bytes));
  }
  assert.ok(await recording.close(60_000));
  const found = textIn(folder).trim().split('\n');
  assert.deepStrictEqual(
    found.map((line) => Number(/^\{"recv_ts_ns": (\d+)000,/.exec(line)?.[1])),
    lines,
  );
  const files = filesBelow(folder);
  assert.strictEqual(files.length, 10);
  for (const file of files.slice(0, -1)) assert.match(file, /\d{4}\.jsonl\.gz$/);
  assert.match(files.at(-1) ?? '', /\d{4}\.jsonl$/);
});

test('a failed write is retried, and the writer learns to hold back', async (context) => {
  const faults: unknown[] = [];
  const { recording, folder } = await opened(context, { onFault: (error) => void faults.push(error) });
  // Opening a file in a missing folder fails.
  rmSync(folder, { recursive: true });
  recording.append({ us: 1, raw: 'x'.repeat(20_000) });
  await eventually(() => assert.ok(faults.length >= 1));
  recording.append({ us: 2, raw: 'y' });
  assert.ok(recording.isFull());
  await Recording.open({ folder, partBytes: 1, partMs: 1, waitingBytesMax: 1, onFault: () => undefined });
  await eventually(() => assert.ok(!recording.isFull()));
  assert.ok(await recording.close(60_000));
  assert.deepStrictEqual(
    textIn(folder)
      .trim()
      .split('\n')
      .map((line) => line.slice(0, 20)),
    ['{"recv_ts_ns": 1000,', '{"recv_ts_ns": 2000,'],
  );
});
