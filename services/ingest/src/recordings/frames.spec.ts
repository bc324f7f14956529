import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { kalshiFrames } from '@almanac/recordings';
import { withFolder } from '../import/testing/with-folder.js';
import type { BookMessage } from '../model/feed-message.js';
import type { BookRuns, BookSource } from '../model/book-source.js';
import { openFrames } from './frames.js';

const line = (raw: string): string => JSON.stringify({ recv_ts_ns: 1, raw }).replace(':1,', ':1700000000000000000,');

const messagesIn = async (source: BookSource<BookMessage | BookRuns>): Promise<readonly BookMessage[]> => {
  const messages: BookMessage[] = [];
  for await (const block of source.blocks())
    for (const item of block) if (item.kind !== 'run' && item.kind !== 'frames') messages.push(item);
  return messages;
};

test('a recording whose first frames are damaged or foreign is read as the recording of its venue', async () => {
  const { text, snapshots } = kalshiFrames({ seed: 4, markets: 3, changes: 5, levels: 4, startS: 1_763_700_000 });
  const foreign = [line('{"type":'), line('"hello"'), line('{"greeting":"hello"}')];
  await withFolder(async (folder) => {
    const path = join(folder, 'frames.jsonl');
    await writeFile(path, `${foreign.join('\n')}\n${text}`);
    const source = await openFrames([path], () => true);
    const messages = await messagesIn(source);
    assert.strictEqual(source.name(), 'Kalshi frames');
    assert.strictEqual(messages.filter(({ kind }) => kind === 'snapshot').length, snapshots);
    assert.deepStrictEqual(
      messages.slice(0, foreign.length).map((message) => message.kind === 'refused' && message.reason),
      foreign.map(() => 'not a frame of a known venue'),
    );
  });
});

test('the keys of the first readable frame show the venue', async () => {
  const venueOf = async (raw: string): Promise<string> =>
    withFolder(async (folder) => {
      const path = join(folder, 'frames.jsonl');
      await writeFile(path, line(raw));
      const source = await openFrames([path], () => true);
      await messagesIn(source);
      return source.name();
    });
  assert.strictEqual(
    await venueOf('{"id":1,"type":"subscribed","msg":{"channel":"orderbook_delta","sid":1}}'),
    'Kalshi frames',
  );
  assert.strictEqual(
    await venueOf('{"ticker":"KXA-1","event_ticker":"KXA","close_time":"2026-01-01T00:00:00Z","status":"open"}'),
    'Kalshi frames',
  );
  assert.strictEqual(await venueOf('[]'), 'Polymarket frames');
  assert.strictEqual(await venueOf('{"event_type":"book","asset_id":"1"}'), 'Polymarket frames');
  assert.strictEqual(await venueOf('{"hello":1}'), 'frames');
});
