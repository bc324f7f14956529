import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { partTimes } from './part-times.js';

const second = 1_000_000;

/** Reads all rows in parts. Returns them, and the length of each query's window in seconds. */
const readAll = (
  rows: readonly number[],
  { endUs, stepUs, limit }: { endUs: number; stepUs?: number; limit: number },
) => {
  const times = partTimes({ endUs, stepUs });
  const [first = 0] = rows;
  const sent = [first];
  const lengths: number[] = [];
  for (;;) {
    const { start_us, end_us } = times.next({ rows: sent.length, lastUs: sent.at(-1) ?? 0 }, limit);
    lengths.push((end_us - start_us) / second);
    const found = rows.filter((us) => us >= start_us && us < end_us).slice(0, limit);
    sent.push(...found);
    if (times.ended(found.length === limit)) return { sent, lengths };
  }
};

describe('the times of a short part', () => {
  it('are twice as long as the rows before it, and up to the end at first', () => {
    const rows = Array.from({ length: 1_000 }, (_, at) => at * second);
    const { sent, lengths } = readAll(rows, { endUs: 100_000 * second, limit: 100 });
    assert.deepEqual(sent, rows);
    assert.ok((lengths[0] ?? 0) > 99_000);
    for (const length of lengths.slice(1, 10)) assert.ok(length <= 201, `${length} s`);
  });

  it('grow over a gap, and no row is missing after it', () => {
    const rows = Array.from({ length: 1_000 }, (_, at) => (at < 500 ? at : at + 5_000_000) * second);
    const { sent, lengths } = readAll(rows, { endUs: 6_000_000 * second, limit: 100 });
    assert.deepEqual(sent, rows);
    assert.ok(lengths.length < 30, `${lengths.length} queries`);
  });

  it('end between two steps', () => {
    const times = partTimes({ endUs: 1e12, stepUs: 7 * second });
    times.next({ rows: 1, lastUs: 6 * second }, 10);
    times.ended(true);
    const { start_us, end_us } = times.next({ rows: 11, lastUs: 76 * second }, 10);
    assert.equal(start_us, 76 * second + 1);
    assert.equal(end_us % (7 * second), 0);
    assert.ok(end_us < 300 * second);
  });
});
