import assert from 'node:assert/strict';
import { z } from 'zod';
import { kalshiFrame } from '../kalshi-frames.js';

const line = z.object({ raw: z.string() });

/** Cuts each recorded frame at every character, and changes every character: the parser refuses, and never throws. */
export const assertNeverThrows = (lines: readonly string[]): void => {
  const frames = lines.filter((one) => one !== '').map((one) => line.parse(JSON.parse(one)).raw.trimEnd());
  assert.ok(frames.length > 0);
  for (const whole of frames) {
    for (let at = 0; at < whole.length; at += 1) {
      assert.equal(kalshiFrame(7, whole.slice(0, at)).kind, 'refused');
      const changed = kalshiFrame(7, `${whole.slice(0, at)}-${whole.slice(at + 1)}`);
      assert.ok(changed.kind !== 'lost');
    }
  }
};
