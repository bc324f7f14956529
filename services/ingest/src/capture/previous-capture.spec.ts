import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { endedReason } from './capture.js';
import { killedCapture } from './previous-capture.js';
import { recordedLine } from './recording.js';

test('a killed capture is recognised by its last line, and one that ended is not', async (context) => {
  const captures = mkdtempSync(join(tmpdir(), 'captures-'));
  context.after(() => rmSync(captures, { recursive: true }));
  const recorded = (name: string, files: Readonly<Record<string, string | Uint8Array>>): string => {
    const folder = join(captures, name);
    mkdirSync(folder);
    for (const [part, text] of Object.entries(files)) writeFileSync(join(folder, part), text);
    return folder;
  };
  const name = 'kalshi-KX';
  const line = (us: number) => recordedLine({ us, raw: '{"type":"ok"}' });
  assert.strictEqual(await killedCapture(join(captures, 'none'), name), null);
  assert.strictEqual(await killedCapture(captures, name), null);

  const cut = recorded('kalshi-KX-20260101T000000Z', { '0001.jsonl': line(5) + line(17).slice(0, 30) });
  recorded('kalshi-KX-OTHER-20260103T000000Z', { '0001.jsonl': line(99) });
  assert.strictEqual(await killedCapture(captures, name), cut);

  const packed = { '0001.jsonl.gz': gzipSync(line(20) + line(21)), '0002.jsonl': '' };
  const folder = recorded('kalshi-KX-20260102T000000Z', packed);
  assert.strictEqual(await killedCapture(captures, name), folder);

  recorded('kalshi-KX-20260103T000000Z', { '0001.jsonl': line(30) + recordedLine({ us: 31, lost: endedReason }) });
  assert.strictEqual(await killedCapture(captures, name), null);
});
