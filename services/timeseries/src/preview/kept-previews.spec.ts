import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keptPreviews } from './kept-previews.js';
import type { MadePreview } from './made-preview.js';

const made = (ticker: string, version = 1, madeMs = 1, bytes = 100_000): MadePreview => ({
  ticker,
  version,
  from: String(version),
  madeMs,
  body: Buffer.alloc(bytes),
});

describe('the previews in memory', () => {
  it('stay within a bound of bytes, and the one that was used longest ago goes first', () => {
    const kept = keptPreviews(350_000);
    for (const ticker of ['A', 'B', 'C']) kept.keep(made(ticker));
    kept.get('A');
    kept.keep(made('D'));
    assert.deepEqual(
      ['A', 'B', 'C', 'D'].filter((ticker) => kept.get(ticker) !== undefined),
      ['A', 'C', 'D'],
    );
    for (let at = 0; at < 1_000; at += 1) kept.keep(made(`M${at}`, 1, 1, Math.floor(Math.random() * 200_000)));
    assert.ok(kept.bytes <= 350_000 && kept.bytes > 100_000, String(kept.bytes));
    kept.keep(made('huge', 1, 1, 400_000));
    assert.deepEqual([kept.get('huge'), kept.bytes], [undefined, 0]);
  });

  it('are one of a market, the newest, in whichever order they come', () => {
    const kept = keptPreviews(1e6);
    kept.keep(made('A', 2, 20));
    kept.keep(made('A', 1, 10));
    assert.equal(kept.get('A')?.version, 2);
    kept.keep(made('A', 3, 15));
    assert.equal(kept.get('A')?.version, 3, 'a later version, by a clock that is behind');
    kept.keep(made('A', 1, 99));
    assert.equal(kept.get('A')?.version, 1, 'made later, from a stream that was put back');
    assert.ok(kept.bytes < 110_000);
  });
});
