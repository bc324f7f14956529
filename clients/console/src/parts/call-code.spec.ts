import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import type { ShownCall } from '../archive/shown-call.js';
import { curlOf, pythonOf, typescriptOf } from './call-code.js';

const origin = 'http://127.0.0.1:8080';
const candles: ShownCall = {
  resource: 'markets',
  method: 'candles',
  args: ['KXBTC-26'],
  params: { points: 300, start_ts: 1771993365.5, end_ts: undefined, as_of: 1771993400 },
  path: '/markets/KXBTC-26/candles',
};

describe('the code of what a screen shows', () => {
  it('has the given parameters and nothing else', () => {
    assert.match(curlOf(candles, origin), /candles\?points=300&start_ts=1771993365\.5&as_of=1771993400'$/);
    assert.match(
      pythonOf(candles, origin),
      /client\.markets\.candles\("KXBTC-26", points=300, start_ts=1771993365\.5, as_of=1771993400\)\.to_df\(\)/,
    );
    assert.match(
      typescriptOf(candles, origin),
      /almanac\.markets\.candles\("KXBTC-26", \{ points: 300, start_ts: 1771993365\.5, as_of: 1771993400 \}\)\.firstPage\(\)/,
    );
  });

  it('has no key', () => {
    for (const code of [curlOf(candles, origin), pythonOf(candles, origin), typescriptOf(candles, origin)]) {
      assert.match(code, /ALMANAC_API_KEY/);
      assert.doesNotMatch(code, /ak_live/);
    }
  });

  it('stays one argument of the shell whatever an id contains', () => {
    const path = `/markets/it's $(touch x) "quoted"`;
    const line = curlOf({ ...candles, path, params: {} }, origin).replace('curl -H', 'printf "%s\\n" --');
    const printed = execFileSync('bash', ['-c', line], { env: { ALMANAC_API_KEY: 'k' } }).toString();
    assert.equal(printed, `--\nAuthorization: Bearer k\n${origin}/api/v1${path}\n`);
  });

  it('writes booleans as each language does', () => {
    const call = { ...candles, params: { include_book: true } };
    assert.match(pythonOf(call, origin), /include_book=True/);
    assert.match(typescriptOf(call, origin), /include_book: true/);
  });

  it('reads one page of a list, and an answer without pages as it is', () => {
    const list: ShownCall = { resource: 'markets', method: 'list', args: [], params: {}, path: '/markets' };
    assert.match(pythonOf(list, origin), /markets\.list\(\)\.first_page\(\)/);
    const book: ShownCall = { ...candles, method: 'book', params: { at_ts: 5 } };
    assert.match(typescriptOf(book, origin), /await almanac\.markets\.book\("KXBTC-26", \{ at_ts: 5 \}\)\);/);
    assert.match(pythonOf(book, origin), /print\(client\.markets\.book\("KXBTC-26", at_ts=5\)\)/);
  });
});
