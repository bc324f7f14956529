import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { seededRandom } from '@almanac/testing';
import { contentOf } from './testing/archive-content.js';
import { importPaths } from './testing/import-files.js';
import { joinedFiles, joinedStartMs as startMs } from './testing/joined-files.js';
import { memoryArchive } from './testing/memory-archive.js';
import { withFolder } from './testing/with-folder.js';

const at = (second: number): string => new Date(startMs + second * 1_000).toISOString();
const json = (value: unknown): string => JSON.stringify(value);

/** A small archive of both venues: each file needs another one for something. */
const files: Readonly<Record<string, string>> = {
  'series.json': json({ series: [{ ticker: 'KXA', title: 'A', category: 'Crypto', frequency: 'daily', tags: null }] }),
  'events.json': json({
    events: [
      { event_ticker: 'KXA-26AUG10', series_ticker: 'KXA', title: 'A on the day', category: 'Crypto', sub_title: '' },
    ],
  }),
  'markets.jsonl': json({
    ticker: 'KXA-26AUG10-T1',
    event_ticker: 'KXA-26AUG10',
    title: 'Is A above 1?',
    status: 'active',
    open_time: at(0),
    close_time: at(60),
    floor_strike: 1,
  }),
  'trades.json': json({
    trades: [10, 20].map((second) => ({
      trade_id: `t${second}`,
      ticker: 'KXA-26AUG10-T1',
      created_time: at(second),
      count_fp: '2',
      yes_price_dollars: '0.6',
      taker_side: 'yes',
    })),
  }),
  ...joinedFiles,
  'quotes.csv': [
    'market,at,bid,coin',
    ...[5, 15].map((s) => `KXA-26AUG10-T1,${startMs / 1_000 + s},0.5${s},10${s}`),
  ].join('\n'),
  'data-trades.jsonl': json({
    slug: 'x-joined',
    transactionHash: '0x1',
    side: 'BUY',
    outcomeIndex: 0,
    price: 0.5,
    size: 3,
    timestamp: startMs / 1_000 + 4,
    title: 'Joined?',
    eventSlug: 'x-joined',
  }),
};

const quotes = [
  'name: mine',
  'match: { columns: [market, at, bid, coin] }',
  'fields:',
  '  ticker: { column: market }',
  "  series: { ticker: '^[A-Z]+' }",
  '  ts: { column: at, unit: s }',
  '  yes_best_bid: { column: bid }',
  '  coin_price: { column: coin }',
].join('\n');

const archiveOf = (imports: readonly (readonly string[])[]) =>
  withFolder((home) =>
    withFolder(async (folder) => {
      const into = memoryArchive();
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
      for (const names of imports) {
        const [mapped, others] = [
          names.filter((name) => name === 'quotes.csv'),
          names.filter((name) => name !== 'quotes.csv'),
        ];
        const pathsOf = (some: readonly string[]) => some.map((name) => join(folder, name));
        if (others.length > 0) await importPaths(pathsOf(others), { into, home });
        if (mapped.length > 0) await importPaths(pathsOf(mapped), { into, home, mapping: quotes });
      }
      return contentOf(into);
    }),
  );

test('files in any order, over any number of imports, give the same archive', async () => {
  const names = Object.keys(files);
  const whole = await archiveOf([names]);
  for (const part of ['x-joined', '0.52', 'A on the day', 't20', '1015']) assert.ok(json(whole).includes(part), part);
  const random = seededRandom(20_260_810);
  for (let round = 0; round < 25; round += 1) {
    const order = names.map((name) => ({ name, key: random() })).toSorted((a, b) => a.key - b.key);
    const imports: string[][] = [[]];
    for (const { name } of order) {
      if (random() < 0.5) imports.push([]);
      imports.at(-1)?.push(name);
    }
    const given = imports.filter((some) => some.length > 0);
    assert.deepEqual({ given, ...(await archiveOf(given)) }, { given, ...whole });
  }
});
