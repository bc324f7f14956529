import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { readArrow, seededRandom, testClickHouse, type TestClickHouse } from '@almanac/testing';
import { bytes, type ClickHouse, connectClickHouse, withArrowMetadata } from './index.js';

const count = 5_000;

describe('an Arrow stream of ClickHouse', () => {
  let server: TestClickHouse;
  let clickhouse: ClickHouse;
  before(async () => {
    server = await testClickHouse({ hasTables: false });
    clickhouse = connectClickHouse({ url: server.url, username: server.username, password: server.password });
  });
  after(async () => {
    await clickhouse.close();
    await server.stop();
  });

  const random = seededRandom(42);
  /** Several record batches. */
  const written = (rows = count): Promise<Buffer> =>
    bytes(clickhouse, {
      sql: `SELECT number AS id, 'é' || toString(number) AS name, if(number % 3 = 0, NULL, number / 7) AS part
FROM numbers({rows:UInt64}) FORMAT ArrowStream SETTINGS max_block_size = 1000`,
      params: { rows },
    });
  const pieces = (file: Buffer): Buffer[] => {
    const cut: Buffer[] = [];
    for (let at = 0; at < file.length;) {
      const length = 1 + Math.floor(random() ** 4 * 20_000);
      cut.push(file.subarray(at, at + length));
      at += length;
    }
    return cut;
  };
  const passed = async (file: Buffer, metadata: Record<string, string> = {}) => {
    const out: Buffer[] = [];
    let rows: number | undefined;
    const onRows = (counted: number): void => void (rows = counted);
    for await (const piece of withArrowMetadata(Readable.from(pieces(file)), { metadata, onRows })) out.push(piece);
    return { file: Buffer.concat(out), rows };
  };

  it('keeps its rows, however its bytes arrive, and gets any metadata', async () => {
    const original = await written();
    const { rows: expected } = readArrow(original);
    assert.equal(expected.length, count);
    for (const entries of [0, 1, 2, 3, 6]) {
      const text = (at: number): string => `é"${'x'.repeat(Math.floor(random() * 30 * at))}`;
      const metadata = Object.fromEntries(
        Array.from({ length: entries }, (_, at) => [`key.${at}${text(at)}`, text(at)]),
      );
      const { file, rows } = await passed(original, metadata);
      assert.equal(rows, count);
      assert.deepEqual(readArrow(file), { rows: expected, metadata, timeZones: [] });
    }
  });

  it('without rows is a stream of its columns', async () => {
    const { file, rows } = await passed(await written(0), { a: 'b' });
    assert.deepEqual([readArrow(file), rows], [{ rows: [], metadata: { a: 'b' }, timeZones: [] }, 0]);
  });

  it('is refused when it is cut anywhere, when bytes follow its end, and when it is no such stream', async () => {
    const file = await written();
    for (let round = 0; round < 200; round += 1) {
      const end = round < 20 ? file.length - 1 - round : Math.floor(random() * file.length);
      await assert.rejects(passed(file.subarray(0, end)), /has no end/, `cut after ${end} of ${file.length} bytes`);
    }
    await assert.rejects(passed(Buffer.concat([file, file])), /goes on after its end/);
    await assert.rejects(passed(Buffer.concat([file, Buffer.from('x')])), /has no end/);
    await assert.rejects(passed(Buffer.from('Code: 241. DB::Exception: Memory limit')), /damaged/);
  });
});
