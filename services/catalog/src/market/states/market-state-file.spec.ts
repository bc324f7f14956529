import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { marketState } from '@almanac/contracts';
import { openMarketStateFile } from './market-state-file.js';

const stateOf = (ticker: string, title: string) => marketState.parse({ ticker, title });
const progress = { readSeq: 9, last: { seq: 9, eventId: 'e9' } };

describe('the file of market states', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-market-states-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('has the latest state of each market and its progress, also after it is closed', () => {
    const first = openMarketStateFile(folder);
    const states = ['A', 'B'].map((ticker, index) => ({ seq: index + 1, state: stateOf(ticker, 'new') }));
    first.put(states, progress);
    first.put([{ seq: 5, state: stateOf('B', 'newer') }], progress);
    first.put([{ seq: 4, state: stateOf('B', 'late') }], progress);
    first.close();
    const second = openMarketStateFile(folder);
    const found = ['A', 'B', 'C'].map((ticker) => second.get(ticker));
    assert.deepEqual(
      found.map((one) => [one?.seq, one?.state.title]),
      [
        [1, 'new'],
        [5, 'newer'],
        [undefined, undefined],
      ],
    );
    assert.deepEqual(second.progress(), progress);
    second.clear();
    assert.deepEqual([second.get('A'), second.progress()], [undefined, undefined]);
    second.close();
  });

  it('begins again in a file whose table is sorted by ticker, as it was before', () => {
    openMarketStateFile(folder).close();
    const file = join(folder, 'markets-1.sqlite');
    const earlier = new DatabaseSync(file);
    earlier.exec(`DROP TABLE market_states;
      CREATE TABLE markets (ticker TEXT PRIMARY KEY, seq INTEGER NOT NULL, state TEXT NOT NULL) WITHOUT ROWID, STRICT;
      INSERT INTO markets VALUES ('A', 1, '["A"]');
      INSERT OR REPLACE INTO progress VALUES (1, 'an earlier format', 9, 9, 'e9');`);
    earlier.close();
    const disk = openMarketStateFile(folder);
    assert.deepEqual([disk.get('A'), disk.progress()], [undefined, undefined]);
    disk.close();
    const later = new DatabaseSync(file);
    assert.deepEqual(
      later
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .all()
        .map(({ name }) => name),
      ['market_states', 'progress'],
    );
    later.close();
  });
});
