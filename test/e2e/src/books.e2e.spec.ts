import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { smallRecordings, writeKalshiBooks } from '@almanac/test-fixtures';
import { describeBooks } from './recordings/books-suite.js';

const folder = await mkdtemp(join(tmpdir(), 'almanac-books-'));
after(() => rm(folder, { recursive: true, force: true }));

describeBooks('generated order books, from import to answers', {
  skip: false,
  open: async () => {
    const { session, framesPath, frames } = await writeKalshiBooks(folder, smallRecordings);
    const [market] = session.markets;
    const [frameTicker] = frames.tickers;
    assert.ok(market !== undefined && frameTicker !== undefined);
    return {
      session: { ...market, folder: session.folder, changes: session.changes, strike: Number(market.strike) },
      framesPath,
      frameTicker,
    };
  },
});
