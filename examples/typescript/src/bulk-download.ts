// A bulk download: quote it, export it, check it, cite it, and make the same bytes again.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Almanac } from '@almanac/client/node';

const almanac = new Almanac();
const [newest] = (await almanac.markets.list({ series: 'GENBTCH', status: 'finalized', days: 2 }).firstPage()).markets;
assert.ok(newest?.event_ticker != null);
const request = { event: newest.event_ticker, format: 'csv', streams: ['snapshots', 'settlement'] } as const;

// 1. What would it cost? A quote changes nothing.
const quote = await almanac.exports.quote({ ...request, streams: [...request.streams] });
console.log(
  `${quote.row_count} rows of ${quote.markets} markets, about ${quote.bytes_estimate} bytes, paid by ${quote.grant}`,
);
assert.equal(quote.would, null);

// 2. Request the file, wait for it, and store it. It gets its name only after its SHA-256 is checked.
const ready = await almanac.exports
  .create({ ...request, streams: [...request.streams] })
  .wait({ onProgress: ({ progress }) => console.log(`${Math.round((progress ?? 0) * 100)} %`) });
const folder = await mkdtemp(join(tmpdir(), 'almanac-example-'));
const file = await almanac.exports.download(ready.id, folder);
console.log(`${file.path}: ${file.bytes} bytes, SHA-256 ${file.sha256}`);

// 3. The file has what the export states: all rows, all markets, and the known gaps.
const text = await readFile(file.path, 'utf8');
const [header = '', ...rows] = text.trimEnd().split('\n');
console.log(header);
console.log(`${rows.length} rows, ${ready.manifest?.gaps_n ?? 0} known gaps`);

// 4. Cite it. Whoever has the id of the dataset sees what it contains, and gets the same bytes.
assert.ok(ready.dataset_id != null && ready.citation);
console.log(`\n${ready.citation.text}\n\n${ready.citation.bibtex}\n`);
const dataset = await almanac.datasets.get(ready.dataset_id);
const again = await almanac.exports.create({ dataset: ready.dataset_id }).wait();

assert.equal(rows.length, ready.row_count);
assert.equal(rows.length, quote.row_count);
assert.equal(createHash('sha256').update(text).digest('hex'), ready.sha256);
assert.deepEqual([dataset.sha256, again.sha256], [ready.sha256, ready.sha256]);
console.log('The same dataset has the same bytes again.');
