import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { streams } from '@almanac/contracts';
import { streamOf } from './bus.js';
import { idOf, isValidId, subjects, tokenBytesMax, tokenOf } from './names.js';
import { retryMs } from './consume/durable-consumer.js';
import { decodeMeta, decodeRequest, encodeMeta, encodeRequest } from './rpc/rpc-wire.js';

describe('a subject token', () => {
  const ids = ['KXBTC-1_a', 'T95999.99', '*', '>', 'a b', '', '%41', '東京🦊', 'a\nb', '.'.repeat(300), '\u0000'];
  it('decodes to its id, and never splits or widens a subject', () => {
    for (const id of ids) {
      assert.equal(idOf(tokenOf(id)), id);
      assert.match(tokenOf(id), /^[A-Za-z0-9_%-]*$/);
    }
    assert.equal(subjects.market('T95999.99'), 'evt.catalog.market.T95999%2E99');
    assert.equal(new Set(ids.map(tokenOf)).size, ids.length);
  });
  it('is refused when it is empty or too long after encoding', () => {
    assert.ok(isValidId('a'.repeat(tokenBytesMax)));
    for (const id of ['', 'a'.repeat(tokenBytesMax + 1), '.'.repeat(86)]) assert.equal(isValidId(id), false);
  });
  it('leads to the stream that holds it', () => {
    for (const [name, token] of Object.entries(streams)) assert.equal(streamOf(`evt.${token}.a`), name);
    assert.throws(() => streamOf('evt.other.a'), /no stream/);
  });
});

describe('an encoded message', () => {
  it('is read back as it was written', () => {
    const meta = { ticker: '東京"\\\n🦊', version: 7, freshUntilUs: 1_771_993_365_058_297, cacheable: false };
    assert.match(encodeMeta(meta), /^[\x20-\x7e]*$/);
    assert.deepEqual(decodeMeta(encodeMeta(meta)), meta);
    assert.deepEqual(decodeMeta(undefined), {});
    const rows = Buffer.from('a\n\nb');
    const read = decodeRequest(encodeRequest({ text: 'x\ny' }, rows));
    assert.deepEqual([read.input, Buffer.from(read.body)], [{ text: 'x\ny' }, rows]);
    assert.throws(() => decodeRequest(Buffer.from('{')), SyntaxError);
  });
});

describe('the delay before a retry', () => {
  it('is whole milliseconds, grows, and has a limit', () => {
    for (const [deliveries, least, most] of [
      [1, 125, 375],
      [4, 1_000, 3_000],
      [90, 7_500, 22_500],
    ] as const) {
      for (let n = 0; n < 100; n += 1) {
        const ms = retryMs(deliveries);
        assert.ok(Number.isInteger(ms) && ms >= least && ms <= most, String(ms));
      }
    }
  });
});
