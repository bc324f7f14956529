import assert from 'node:assert/strict';
import { appendFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { importPaths } from '../testing/import-files.js';
import { memoryArchive, type MemoryArchive } from '../testing/memory-archive.js';
import { withFolder } from '../testing/with-folder.js';
import { stillWaiting } from './waiting-lines.js';

const tokens = ['6581861965756881347', '6581861965756881348'] as const;
const startMs = 1_786_399_200_000;

const marketObject = (slug: string, [yes, no]: readonly [string, string]): object => ({
  slug,
  conditionId: `0x${yes}`,
  question: 'Joined?',
  outcomes: '["Yes","No"]',
  clobTokenIds: JSON.stringify([yes, no]),
  active: true,
  closed: false,
  createdAt: '2026-08-10T21:00:00Z',
});
const gamma = JSON.stringify([marketObject('x-joined', tokens)]);

const book = (second: number, token: string, price = '0.52'): string =>
  JSON.stringify({
    recv_ms: startMs + second * 1_000,
    event: {
      event_type: 'book',
      asset_id: token,
      market: '0x1',
      timestamp: String(startMs + second * 1_000 - 10),
      bids: [{ price, size: '7' }],
      asks: [],
    },
  });
const frames = [book(1, tokens[0]), book(2, tokens[0], '0.53')].join('\n');

const setUp = (work: (at: (name: string, text?: string) => Promise<string>, home: string) => Promise<void>) =>
  withFolder((home) =>
    withFolder((folder) =>
      work(async (name, text) => {
        if (text !== undefined) await writeFile(join(folder, name), text);
        return join(folder, name);
      }, home),
    ),
  );
const bids = ({ rows }: Pick<MemoryArchive, 'rows'>) => Array.from(rows.values(), ({ ticker, bid }) => [ticker, bid]);
const joined = [
  ['x-joined', '0.52'],
  ['x-joined', '0.53'],
];
const waitingIn = (home: string): Promise<readonly string[]> => readdir(join(home, 'waiting'));

describe('frames whose market is in no file of the import', () => {
  it('find it in the archive, with one call', () =>
    setUp(async (at, home) => {
      const into = memoryArchive();
      await importPaths([await at('gamma.json', gamma)], { into, home });
      const lookups = into.calls.lookups;
      const { reports } = await importPaths([await at('frames.jsonl', frames)], { into, home });
      assert.deepEqual([reports[0]?.refusals, into.calls.lookups - lookups], [0, 1]);
      assert.deepEqual(bids(into), joined);
    }));

  it('wait for it, and are imported again by the import that names it', () =>
    setUp(async (at, home) => {
      const into = memoryArchive();
      const path = await at('frames.jsonl', frames);
      const first = await importPaths([path], { into, home });
      assert.deepEqual(stillWaiting(first.reports, false), [
        `No source names the market of ids in frames.jsonl (${tokens[0]}). The file waits: the import of the venue's market objects imports it again.`,
      ]);
      assert.deepEqual([into.rows.size, (await waitingIn(home)).length], [0, 1]);
      const second = await importPaths([await at('gamma.json', gamma)], { into, home });
      assert.deepEqual(second.lines, [
        `A file waits for markets of this import: npm run import -- ${path} --sample every-change`,
      ]);
      assert.deepEqual(
        second.reports.map(({ file, refusals }) => [file, refusals]),
        [
          ['gamma.json', 0],
          ['frames.jsonl', 0],
        ],
      );
      assert.deepEqual(bids(into), joined);
      assert.deepEqual(await waitingIn(home), []);
    }));

  it('wait for the rest of their markets', () =>
    setUp(async (at, home) => {
      const into = memoryArchive();
      const other = ['71', '72'] as const;
      await importPaths([await at('frames.jsonl', [frames, book(3, other[1], '0.4')].join('\n'))], { into, home });
      await importPaths([await at('gamma.json', gamma)], { into, home });
      assert.deepEqual([bids(into), (await waitingIn(home)).length], [joined, 1]);
      await importPaths([await at('other.json', JSON.stringify([marketObject('x-other', other)]))], { into, home });
      assert.equal(bids(into).length, 3);
      assert.deepEqual(await waitingIn(home), []);
    }));

  it('are only named if they have changed or are gone', () =>
    setUp(async (at, home) => {
      const into = memoryArchive();
      const [changed, gone] = [await at('changed.jsonl', frames), await at('gone.jsonl', frames)];
      await importPaths([changed, gone], { into, home });
      await appendFile(changed, '\n');
      await rm(gone);
      const { lines } = await importPaths([await at('gamma.json', gamma)], { into, home });
      assert.deepEqual(
        lines,
        [changed, gone].map((file) => `${file} waited for a market of this import, but it has changed or is gone.`),
      );
      assert.equal(into.rows.size, 0);
    }));

  it('find one that a later line of the recording describes', () =>
    setUp(async (at, home) => {
      const raw = JSON.stringify({
        recv_ts_ns: `${startMs + 5_000}000000`,
        raw: JSON.stringify(marketObject('x-joined', tokens)),
      });
      const own = frames.replaceAll(
        /"recv_ms":(\d+),"event":(.*?)\}$/gm,
        (_, ms: string, event: string) => `"recv_ts_ns":"${ms}000000","raw":${JSON.stringify(event)}}`,
      );
      const { reports, rows } = await importPaths([await at('frames.jsonl', `${own}\n${raw}`)], { home });
      assert.deepEqual([reports.map(({ refusals }) => refusals), bids({ rows })], [[0], joined]);
    }));
});
