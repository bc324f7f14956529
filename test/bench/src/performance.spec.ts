import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { repository } from './home.js';
import { performancePage } from './performance-page.js';
import { performancePicture, reached } from './performance-picture.js';
import type { Result } from './results.js';
import { resultFiles, type RunResults } from './run-results.js';

const machine = { cpu: 'A CPU', cores: 2, memoryGb: 24, node: 'v24.0.0' };
const row: Result = {
  name: 'snapshots <cold> & "hot"',
  gain: 'A user waits less.',
  against: 'the bare pipe',
  ours: 1_234,
  reference: 1_000,
  ratio: 1.234,
  threshold: { atLeast: 0.85 },
  unit: 'requests/s',
  short: false,
};
const slow: Result = { ...row, name: 'start', ratio: 3, threshold: { below: 1.5 }, short: true };
const free: Result = { ...row, name: 'without a target', threshold: null };
const run = { day: '2026-11-24', commit: 'abc', machine, rows: [row, slow, free] };

const published = async (path: string): Promise<string> => readFile(join(repository, path), 'utf8');

describe('the published figures', () => {
  it('are those of one run on the page, in the picture and in results.json', async () => {
    const results = JSON.parse(await published('test/bench/results.json')) as RunResults;
    for (const [path, content] of resultFiles(results)) assert.equal(await published(path), content, path);
  });
});

describe('the figures of a whole run', () => {
  it('have a page with every row, and count those that are short', () => {
    const page = performancePage(run);
    assert.match(page, /^- \*\*start:\*\* A user waits less\.$/m);
    assert.match(performancePage({ ...run, remark: 'It was cold.' }), /\n\nIt was cold\.\n\n/);
    assert.match(page, /of commit abc, on 2 cores \(A CPU\) with 24 GB and Node v24\.0\.0\./);
    assert.match(page, /^2 of 3 rows reach their target or have none\./m);
    const table = page.split('\n').filter((line) => line.startsWith('|'));
    assert.equal(table.length, 5);
    assert.equal(new Set(table.map((line) => line.length)).size, 1);
    assert.match(table[2] ?? '', /\| 1,234 \| +1,000 \| requests\/s \| +1\.23 \| +0\.85 \| +\|$/);
    assert.match(table[3] ?? '', /< 1\.5 \| short \|$/);
  });

  it('have a picture with a bar for each target, to the right of it if it is reached', () => {
    assert.deepEqual([reached(row), reached(slow), reached(free)], [1.234 / 0.85, 0.5, null]);
    const picture = performancePicture(run);
    const bars = [...picture.matchAll(/<rect class="(\w+)" x="(\d+)" y="\d+" width="(\d+)"/g)];
    const target = Number(/class="target" x1="(\d+)"/.exec(picture)?.[1]);
    assert.deepEqual(
      bars.map(([, kind, x, width]) => [kind, Number(x), Number(x) + Number(width)]),
      [
        ['met', target, target + Number(bars[0]?.[3])],
        ['short', target - Number(bars[1]?.[3]), target],
      ],
    );
    assert.match(picture, /snapshots &lt;cold&gt; &amp; &quot;hot&quot;/);
  });
});
