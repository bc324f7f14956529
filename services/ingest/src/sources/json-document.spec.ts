import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ImportError } from '../errors.js';
import { openJsonDocument } from './json-document.js';
import { recordCharsMax } from './source.js';

// The document arrives in chunks, as a file does.
async function* pieces(...texts: readonly string[]): AsyncGenerator<string, void, undefined> {
  yield* texts;
}

const read = async (...texts: readonly string[]) => {
  const source = await openJsonDocument('x.json', pieces(...texts));
  const records: unknown[] = [];
  const broken: unknown[] = [];
  let error = '';
  try {
    for await (const block of source.blocks()) {
      records.push(...block.records.map(({ value }) => value));
      broken.push(...block.broken);
    }
  } catch (cause) {
    assert.ok(cause instanceof ImportError);
    error = cause.message;
  }
  return { first: source.first, records, broken, error };
};

const forms: readonly [string, unknown[]][] = [
  ['[{"a":1},{"a":{"b":[true,null,{"c":"é\\n"}]}}]', [{ a: '1' }, { a: { b: [true, null, { c: 'é\n' }] } }]],
  [
    '{"timestamp":"t","n":2,"events":[{"a":"1"},{"a":"2"}],"milestones":[{"a":{"b":[1]}}],"cursor":""}',
    [{ a: '1' }, { a: '2' }],
  ],
  ['{"0":{"a":"x"},"1":{"a":"y","b":{}}}', [{ a: 'x' }, { a: 'y', b: {} }]],
  [
    '{"ticker":"T","floor":3.30,"markets":[{"a":"1"}],"z":false}',
    [{ ticker: 'T', floor: '3.30', markets: [{ a: '1' }], z: false }],
  ],
  ['{"event":{"a":"1"},"markets":[{"b":"2"}]}', [{ a: '1' }, { b: '2' }]],
  [
    '{"_metadata":{"ticker":"T","n":[{"a":"0"}]},"response":{"cursor":"c","trades":[{"a":"1"},{"a":2.50}],"n":[{"a":"3"}]}}',
    [{ a: '1' }, { a: '2.50' }],
  ],
  ['{"_metadata":{"n":1},"response":{"market":{"a":"1"}}}', [{ a: '1' }]],
  ['{"orderbook":{"yes":[[3,100]]}}', [{ orderbook: { yes: [['3', '100']] } }]],
  ['{"markets":[{"a":"1"}],"cursor":"x"}\n{"markets":[{"a":"2"}],"cursor":""}\n', [{ a: '1' }, { a: '2' }]],
  ['{\n  "a": "1"\n}\n\n{ "a": "2" }', [{ a: '1' }, { a: '2' }]],
  ['{"a":"1"}', [{ a: '1' }]],
  ['[]', []],
  ['{"markets":[],"cursor":""}', []],
  [
    '[{"a":123456789012345678901234567890.123456789,"b":-1e-7}]',
    [{ a: '123456789012345678901234567890.123456789', b: '-1e-7' }],
  ],
];

test('each form of a document gives its records, wherever the chunks of the file end', async () => {
  for (const [text, records] of forms) {
    const allRecords = await read(text);
    assert.deepEqual([allRecords.records, allRecords.error], [records, ''], text);
    assert.deepEqual(allRecords.first, records[0] ?? null);
    for (let cut = 1; cut < text.length; cut += 1)
      assert.deepEqual((await read(text.slice(0, cut), text.slice(cut))).records, records, `${text} cut at ${cut}`);
  }
});

test('an item of a list that is no object loses only itself', async () => {
  const { records, broken, error } = await read('[{"a":"1"},5,[1],"x",{"a":"2"}]');
  assert.deepEqual([records, error], [[{ a: '1' }, { a: '2' }], '']);
  assert.partialDeepStrictEqual(broken, [{ line: 2 }, { line: 3, reason: 'not a JSON object' }, { line: 4 }]);
});

test('a truncated or damaged document gives the records before the fault, and reports its position', async () => {
  for (const cut of ['[{"a":"1"},{"a":', '[{"a":"1"}', '{"markets":[{"a":"1"},{"a":"2', '{"0":{"a":"1"},"1"'])
    assert.deepEqual(await read(cut).then(({ records, error }) => [records, error]), [
      [{ a: '1' }],
      'x.json: the JSON is incomplete after record 1',
    ]);
  for (const damaged of ['[{"a":"1"},{"a":nope}]', '[{"a":"1"},{"a"}]}', '[{"a":"1"},{"a":[}]}]', '[{"a":"1"}] x'])
    assert.match((await read(damaged)).error, /^x\.json: the JSON after record 1 is not valid: /, damaged);
});

test('a record without an end is not buffered for ever', async () => {
  const piece = 'x'.repeat(1024 * 1024);
  const endless = Array.from({ length: recordCharsMax / piece.length + 2 }, () => piece);
  assert.match((await read('[{"a":"1"},{"a":"', ...endless)).error, /record 2 is too long/);
});
