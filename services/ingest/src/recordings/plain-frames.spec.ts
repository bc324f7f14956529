import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dirtyChanges } from '../import/testing/dirty-changes.js';
import { dirtyFrames } from '../import/testing/dirty-frames.js';
import { marketOf } from '../import/testing/hours.js';
import type { BookMessage } from '../model/feed-message.js';
import { openFrames } from './frames.js';

const tokens = new Map(
  [0, 1, 2]
    .map(marketOf)
    .flatMap(({ yes, no, ticker, condition }) => [yes, no].map((id) => [id, { ticker, condition, yes, no }] as const)),
);

const readLines = async (text: string, blockChars: number, isByColumn: boolean) => {
  const [messages, rows]: [BookMessage[], number[]] = [[], []];
  const altered: unknown[] = [];
  // Blocks that cut lines anywhere.
  const blocks = async function* () {
    await Promise.resolve();
    for (let at = 0; at < text.length; at += blockChars) yield text.slice(at, at + blockChars);
  };
  const file = { path: 'frames.jsonl', text: blocks(), sizeBytes: text.length, bytesRead: () => 0 };
  const outcomes = {
    get: (id: string) => tokens.get(id),
    find: () => Promise.resolve(),
  };
  const source = await openFrames([file], (change) => altered.push(change) > 0, { isByColumn, outcomes });
  for await (const block of source.blocks())
    for (const item of block) {
      if (item.kind === 'run') throw new Error('frames have no such runs');
      if (item.kind !== 'frames') messages.push(withoutProof(item));
      else {
        rows.push(item.count);
        for (let row = 0; row < item.count; row += 1) messages.push(...item.messagesOf(row));
      }
    }
  return { messages, altered, rowsRead: source.rowsRead?.(), rows };
};

/** Reads lines in both ways. Returns the lengths of the runs. */
/** A proof is a function, of which only the presence is compared. */
const withoutProof = (message: BookMessage): BookMessage =>
  message.kind === 'level' && message.isOf ? { ...message, isOf: proof } : message;
const proof = (): boolean => true;

const assertSame = async (lines: readonly string[], blockChars = 5_003): Promise<readonly number[]> => {
  const text = lines.join('\n');
  const { rows, ...byColumn } = await readLines(text, blockChars, true);
  const { rows: none, ...byRow } = await readLines(text, blockChars, false);
  assert.deepEqual(none, []);
  for (const [at, message] of byRow.messages.entries())
    assert.equal(JSON.stringify(byColumn.messages[at]), JSON.stringify(message));
  assert.deepEqual(byColumn, byRow);
  return rows;
};

const place = { type: 'orderbook_delta', sid: 1, seq: 2 };
const change = { market_ticker: 'KXA-26AUG10-A', price_dollars: '0.4100', delta_fp: '-12.50', side: 'yes' };
const ts = '2026-08-10T12:00:00.123456Z';
const lineOf = (frame: object, ns = '1786363200000001000'): string =>
  `{"recv_ts_ns": ${ns}, "raw": ${JSON.stringify(`${JSON.stringify(frame)}\n`)}}`;
const begin = lineOf({ type: 'subscribed', id: 1, msg: { channel: 'orderbook_delta', sid: 1 } });
const plain = lineOf({ ...place, msg: { ...change, market_id: 'b2', ts, ts_ms: 1_786_363_200_123 } });

const rowsIn = async (lines: readonly string[]): Promise<number> => sumOf(await assertSame([begin, ...lines]));

const bytes = ['-', '"', '\\', '0', '9', ' ', '}', '{', ',', '.', 'ä', '\u0001'];

describe('frames by column', () => {
  it('are the messages that their lines are, in runs of one subscription', async () => {
    const other = lineOf({ ...place, sid: 2, msg: { ...change, ts_ms: 1_786_363_200_123 } });
    assert.deepEqual(await assertSame([begin, plain, '', plain, other, other, other, begin, plain]), [2, 3, 1]);
    const many = Array.from({ length: 10_000 }, () => plain);
    const runs = await assertSame([...many, ''], 10_000_000);
    assert.deepEqual([runs.length, sumOf(runs)], [3, 9_999]);
  });

  it('may have their names in any order, further fields, blanks, and the receipt as a text', async () => {
    const { type, sid, seq } = place;
    const { market_ticker, price_dollars, delta_fp, side } = change;
    const lines = [
      lineOf({ msg: { ts, side, delta_fp, price_dollars, market_ticker }, seq, sid, type }),
      lineOf({ ...place, msg: { ts_ms: 1_786_363_200_123, ...change, ts } }),
      lineOf({ ...place, msg: { ...change, subaccount: 12.5, order: 'x', none: '' } }),
      plain.replaceAll(':', ': ').replaceAll(',', ' , ').replaceAll('12: 00: 00', '12:00:00'),
      plain.replace('1786363200000001000', '"1786363200000001000"'),
      `${plain}\r`,
      `{"raw":${JSON.stringify(JSON.stringify({ ...place, msg: change }))},"recv_ts_ns":1786363200000001000}`,
      lineOf({ ...place, msg: { ...change, price_dollars: '.5', delta_fp: '-0' } }),
    ];
    assert.equal(await rowsIn(lines), lines.length);
  });

  it('are parsed if they are not plain', async () => {
    const changes: readonly object[] = [
      { price_dollars: 0.41 },
      { price_dollars: '1.0000' },
      { price_dollars: '0' },
      { price_dollars: '0.41000000' },
      { price_dollars: '0.4100001' },
      { delta_fp: '12345678901234567' },
      { delta_fp: 12 },
      { delta_fp: '1e3' },
      { delta_fp: '' },
      { side: 'no ' },
      { market_ticker: '' },
      { market_ticker: 'KXÄ-1' },
      { market_ticker: 'KX"A' },
      { ts: '2026-02-31T12:00:00Z' },
      { ts: '2026-08-10T12:00:00.1234567Z' },
      { ts: '2026-08-10 12:00:00Z' },
      { ts: '2026-08-10T24:00:00Z' },
      { ts: 1_786_363_200 },
      { time: ts },
      { ts_ms: 86_400 },
      { ts_ms: '1786363200123' },
      { more: { nested: [1] } },
      { more: true },
      { more: 1e300 },
    ];
    const places: readonly object[] = [
      { seq: '2' },
      { seq: 0 },
      { seq: 2.5 },
      { sid: -1 },
      { id: 1 },
      { type: 'trade' },
    ];
    const texts = [
      plain.slice(0, -20),
      plain.replace('1786363200000001000', '1786363200000001001'),
      plain.replace('1786363200000001000', '178636320000000100'),
      plain.replace('1786363200000001000', '01786363200000001000'),
      plain.replace(String.raw`\"seq\":2`, String.raw`\"seq\":02`),
      plain.replace(String.raw`\"seq\":2`, String.raw`\"seq\":2,\"seq\":3`),
      plain.replace(String.raw`\"side\":`, String.raw`\"side\":\"no\",\"side\":`),
      plain.replace(', "raw"', ', "id": 7, "raw"'),
      `${plain} x`,
      plain.replace('"raw"', '"row"'),
    ];
    const lines = [
      ...changes.map((dirt) => lineOf({ ...place, msg: { ...change, ...dirt } })),
      ...places.map((dirt) => lineOf({ ...place, ...dirt, msg: change })),
      ...texts,
    ];
    assert.equal(await rowsIn(lines), 0);
  });

  it('with any byte changed or missing are what the parser makes of them', async () => {
    const lines = Array.from(plain).flatMap((_, at) => [
      plain.slice(0, at),
      plain.slice(0, at) + plain.slice(at + 1),
      ...bytes.map((byte) => plain.slice(0, at) + byte + plain.slice(at + 1)),
    ]);
    assert.ok((await rowsIn(lines)) > 500);
    for (let seed = 1; seed <= 20; seed += 1) await assertSame(dirtyFrames(seed, { rarely: 4 }).split('\n'));
  });

  it('are changes of the token that leads, unless their hash is due to be checked', async () => {
    const hashed = dirtyChanges(4, { rarely: 1_000_000 }).split('\n');
    assert.equal(sumOf(await assertSame(hashed)), 0);
    assert.ok(sumOf(await assertSame(hashed.map(withoutHash))) > 300);
    for (let seed = 1; seed <= 20; seed += 1) await assertSame(dirtyChanges(seed, { rarely: 4 }).split('\n'));
  });

  it('of changes with any byte changed or missing are what the parser makes of them', async () => {
    const lines = dirtyChanges(1, { frames: 60, rarely: 1_000_000 }).split('\n').map(withoutHash);
    const books = lines.slice(0, 5);
    const one = lines.findLast((line) => line.includes('price_change') && !line.includes('hash')) ?? '';
    const damaged = Array.from(one).flatMap((_, at) => [
      one.slice(0, at),
      one.slice(0, at) + one.slice(at + 1),
      ...bytes.map((byte) => one.slice(0, at) + byte + one.slice(at + 1)),
    ]);
    assert.ok(sumOf(await assertSame([...books, ...damaged])) > 500);
  });
});

const withoutHash = (line: string): string => line.replaceAll(/(?<=hash\\":\\")\w+/g, 'x');

const sumOf = (rows: readonly number[]): number => rows.reduce((sum, count) => sum + count, 0);
