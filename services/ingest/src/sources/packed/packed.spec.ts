import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { importFiles, importPaths } from '../../import/testing/import-files.js';
import { withFolder } from '../../import/testing/with-folder.js';
import { tarOf, zipOf } from '../testing/archives.js';
import { diskContent } from './content.js';
import { OpenContainers } from '../open/containers.js';

const mapping = `
name: ticks
match: { columns: [ts, asset_id, best_bid] }
fields:
  ticker: { column: asset_id }
  ts: { column: ts, unit: iso }
  yes_best_bid: { column: best_bid }
`;
const text = 'ts,asset_id,best_bid\n2026-02-25T04:20:00Z,A-1,0.5\n';
/** The same text. Node writes neither. */
const xz = Buffer.from(
  '/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAxdHMsYXNzZXRfaWQsYmVzdF9iaWQKMjAyNi0wMi0yNVQwNDoyMDowMFosQS0xLDAuNQoAAABOY8maYyijQAABSjIkQ8fiH7bzfQEAAAAABFla',
  'base64',
);
/** The text, and its row 40,000 times more: many blocks. */
const longXz = Buffer.from(
  '/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM8bNxARtdADocwYSybEESvciJi9CbASH+fnzzhpIH2UF3Xh8zm+mjTv/syaO/pH0mckQn/QpHuKZPCfYHMHK28OBJRZ3+xBuS3qWHBezk8NzgvC8DiLDpvHtAV1bfdxRbf1C7cvpmX7RrOWNx4KsyI29fhrVPPqaoP6gpzg9sTsY6iJ/gZT4dWplTVUMEWhC9oH5I9NB0VoOcBG7Mvdnoiq2XLf8u65odus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1IrdM0eWyBC+d1TPfgpZAk7gMsqbN+1O/DEvS5fqg8+S2ZCkBMO/xCT+HF4WfgLzf+VKEYPqfx83vuaMC5WwI+F84OBwGXEJVP49ZE2MQWlsO5vwXBNRwzNA3zOAAAAAJj5tIlHCK0aAAG3AvLmRgDNPnmZscRn+wIAAAAABFla',
  'base64',
);
const gzipInXz = Buffer.from(
  '/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQBFH4sIAAAAAAACAysp1kksLk4tic9M0UlKLS6JT8pM4TIyMDLTNTDSNTINMTCxMjKwMjCI0nHUNdQx0DPlAgBDuMWLMgAAAAAAAPTvVshuZnVBAAFeRlQhAZsftvN9AQAAAAAEWVo=',
  'base64',
);
const bzip2 = Buffer.from(
  'QlpoOTFBWSZTWduAVV4AABjfgAAQAAd3ECAABBC2IAwAIABIap6epqA9TynqPKFGjIGjTI0njZ6yzs3LtmEUp2pIdRiN4NgibFShU1eEj4u5IpwoSG3AKq8A',
  'base64',
);

/** The files that were read, each with its rows or its error. */
const read = async (files: Readonly<Record<string, string | Uint8Array>>) => {
  const { reports } = await importFiles(files, { mapping });
  return reports.map(({ file, rowsRead, error }) => [
    file,
    error === null ? rowsRead : error.replace(/^.*\/[^:]*: /, ''),
  ]);
};

describe('a compressed text is read by its content', () => {
  const packed = {
    gzip: gzipSync(text),
    zstd: zstdCompressSync(text),
    xz,
    bzip2,
    'UTF-16LE': Buffer.from(`\ufeff${text}`, 'utf16le'),
    'UTF-16BE': Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
    'gzip in zstd': zstdCompressSync(gzipSync(text)),
    'gzip in xz': gzipInXz,
  };
  for (const [name, content] of Object.entries(packed))
    it(name, async () => assert.deepEqual(await read({ 'ticks.csv': content }), [['ticks.csv', 1]]));

  it('xz that is longer than what is read to recognise it, again and again', async () =>
    assert.deepEqual(await read({ 'a.xz': longXz, 'b.xz': longXz }), [
      ['a.xz', 40_001],
      ['b.xz', 40_001],
    ]));

  const row = '2026-02-25T04:20:01Z,A-1,0.6\n';
  const rest = { gzip: gzipSync(row), zstd: zstdCompressSync(row) };
  for (const by of ['gzip', 'zstd'] as const)
    it(`${by} of several parts`, async () =>
      assert.deepEqual(await read({ t: Buffer.concat([packed[by], rest[by], rest[by]]) }), [['t', 3]]));
  it('zstd with a frame that is no data', async () => {
    const skipped = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    assert.deepEqual(await read({ t: Buffer.concat([skipped, packed.zstd, skipped, rest.zstd]) }), [['t', 2]]);
  });
  for (const by of ['xz', 'bzip2'] as const)
    it(`${by} of several parts`, async () => {
      // The second part repeats the header as a row, whose time is none.
      assert.deepEqual(await read({ t: Buffer.concat([packed[by], packed[by]]) }), [['t', 3]]);
    });
});

const long = text + Array.from({ length: 20_000 }, (_, at) => `2026-02-25T04:20:00.${at}Z,A-${at},0.5\n`).join('');

describe('cut or damaged data is an error with its file and place', () => {
  const packed = { gzip: gzipSync(long), zstd: zstdCompressSync(long), xz, bzip2 };
  for (const [by, content] of Object.entries(packed))
    it(`cut ${by}`, async () => {
      const [[, error] = []] = await read({ t: content.subarray(0, content.length - 20) });
      assert.match(String(error), new RegExp(`^the ${by} data is incomplete or damaged at or before byte \\d+ \\(`));
    });
  it('damaged bzip2', async () => {
    const damaged = Buffer.from(bzip2);
    damaged[60] = 0;
    const [[, error] = []] = await read({ t: damaged });
    assert.match(String(error), /^the bzip2 data is incomplete or damaged/);
  });
  it('a bomb', () =>
    withFolder(async (folder) => {
      const path = join(folder, 't');
      for (const bomb of [zstdCompressSync(Buffer.alloc(80_000_000)), zipOf([['a', Buffer.alloc(80_000_000)]])]) {
        await writeFile(path, bomb);
        const containers = new OpenContainers(diskContent);
        const steps = bomb.subarray(0, 2).toString() === 'PK' ? [{ name: 'a', index: 0 }] : [];
        const { content } = await containers.open(path, steps);
        let bytes = 0;
        const reading = async (): Promise<void> => {
          for await (const block of content.blocks()) bytes += block.length;
        };
        await assert.rejects(reading(), /t(\/a)?: it unpacks to more than 500 times its size/);
        assert.ok(bytes < 70_000_000, `${bytes} bytes`);
        await content.close();
        await containers.close();
      }
    }));
});

describe('files in containers', () => {
  const name = `${'long/'.repeat(30)}b.csv`;
  const tar = tarOf([
    ['a.csv.gz', gzipSync(text)],
    [name, text],
    [
      'c.zip',
      zipOf([
        ['d.csv.zst', zstdCompressSync(text)],
        ['e.csv', text],
      ]),
    ],
  ]);
  const inside = [
    ['a.csv.gz', 1],
    ['b.csv', 1],
    ['d.csv.zst', 1],
    ['e.csv', 1],
  ];
  for (const [kind, content] of [
    ['tar', tar],
    ['tar.zst', zstdCompressSync(tar)],
    ['tar.gz', gzipSync(tar)],
    ['zip64', zipOf([['t.tar', tar]], { isZip64: true })],
  ] as const)
    it(kind, async () => assert.deepEqual(await read({ t: content }), inside));

  it('a report names the container and the file', () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, 'outer.tar'), tarOf([['inner.zip', zipOf([['x.json', '{"a":1}']])]]));
      const { reports } = await importPaths([join(folder, 'outer.tar')], { mapping });
      assert.match(reports[0]?.passedOver ?? '', /^the mapping ticks needs the missing columns/);
    }));

  it('a name that leaves the archive costs only its file', async () => {
    const entries = [
      ['../a.csv', text],
      ['/b.csv', text],
      ['c.csv', text],
      ['__MACOSX/._c.csv', 'x'],
    ] as const;
    const refused = 'the name of the file leaves its archive, so it is not read';
    const expected = [
      ['a.csv', refused],
      ['b.csv', refused],
      ['c.csv', 1],
    ];
    assert.deepEqual(await read({ t: zipOf(entries) }), expected);
    assert.deepEqual(await read({ t: tarOf(entries) }), expected);
  });

  it('a damaged or unsupported file costs only itself', async () => {
    const zip = zipOf([
      ['a.csv', long],
      ['b.avro', 'Obj\x01and more'],
      ['c.csv', text],
    ]);
    zip.fill(0xff, 20_000, 20_010);
    const [a, b, c] = await read({ t: zip });
    assert.match(String(a?.[1]), /^the data in the zip archive is (incomplete or )?damaged/);
    assert.match(String(b?.[1]), /^Avro files are not supported\. Convert it to Parquet, for example with DuckDB/);
    assert.deepEqual(c, ['c.csv', 1]);
  });

  it('of a cut tar, the files before the cut are read', async () => {
    const [a, b] = await read({
      t: tarOf([
        ['a.csv', text],
        ['b.csv', text.repeat(20)],
      ]).subarray(0, 1_600),
    });
    assert.deepEqual(
      [a, b],
      [
        ['a.csv', 1],
        ['t', 'the archive is cut after byte 1536'],
      ],
    );
  });

  it('of a tar that is cut between two files, too, and the cut is an error', async () => {
    const whole = tarOf([
      ['a.csv', text],
      ['b.csv', text],
    ]);
    const end = ['t', 'the archive has no end mark after byte 1024, so files may be missing'];
    const cut = whole.subarray(0, 1_024);
    for (const t of [cut, zstdCompressSync(cut)]) assert.deepEqual(await read({ t }), [['a.csv', 1], end]);
  });

  it('of a cut zip, nothing is', async () => {
    const [[, error] = []] = await read({ t: zipOf([['a.csv', text]]).subarray(0, 90) });
    assert.match(String(error), /^the zip archive is cut or damaged/);
  });
});

describe('SQLite', () => {
  const create = (path: string, wal: boolean): DatabaseSync => {
    const database = new DatabaseSync(path);
    if (wal) database.exec('PRAGMA journal_mode = WAL');
    database.exec(
      'CREATE TABLE ticks (ts TEXT, asset_id TEXT, best_bid REAL, note TEXT); CREATE TABLE "no ""rows""" (a)',
    );
    database.exec(
      "INSERT INTO ticks VALUES ('2026-02-25T04:20:00Z', 'A-1', 0.1, NULL), ('2026-02-25T04:20:01Z', 'A-1', 0.3, '{}')",
    );
    return database;
  };

  it('each table is a file, also of a compressed database, and binary floats are counted', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'x.db');
      create(path, false).close();
      const { reports, rows } = await importPaths([path], { mapping });
      assert.deepEqual(
        reports.map(({ file, rowsRead, passedOver }) => [file, rowsRead, passedOver !== null]),
        [
          ['no "rows"', 0, true],
          ['ticks', 2, false],
        ],
      );
      assert.deepEqual(
        Array.from(rows.values(), ({ bid }) => bid),
        ['0.1', '0.3'],
      );
      assert.deepEqual([...(reports[1]?.floats ?? [])], [['best_bid', 2]]);
    }));

  it('a mapping reads only its rows of a table, and into their JSON', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'books.db');
      const database = new DatabaseSync(path);
      database.exec('CREATE TABLE books (venue TEXT, id TEXT, ts TEXT, raw TEXT)');
      const insert = database.prepare('INSERT INTO books VALUES (?, ?, ?, ?)');
      insert.run('polymarket', 'P', '2026-02-25T04:20:00Z', '{"bids": [["0.2", "5"]]}');
      insert.run('kalshi', 'K', '2026-02-25T04:20:00Z', '{"book": {"yes": [["0.4", 123456789.5]]}}');
      insert.run('kalshi', '', '2026-02-25T04:20:01Z', '{"book": {"yes": null}}');
      database.close();
      const kalshi = `
name: kalshi
match: { columns: [venue, id, ts, raw] }
only: { column: venue, values: [kalshi] }
fields:
  ticker: { column: id }
  ts: { column: ts, unit: iso }
  yes_bids: { column: raw.book.yes, absent: empty }
`;
      const { reports, rows, refused } = await importPaths([path], { mapping: kalshi });
      assert.deepEqual([reports[0]?.error, reports[0]?.rowsRead, [...rows.keys()]], [null, 2, ['K 1771993200.000000']]);
      assert.deepEqual(refused, [{ record: 3, reason: 'no ticker', row: 'kalshi,,2026-02-25T04:20:01Z,' }]);
    }));

  it('a copy without its WAL says so', () =>
    withFolder(async (folder) => {
      const [path, copy] = [join(folder, 'x.db'), join(folder, 'copy.db')];
      const database = create(path, true);
      await copyFile(path, copy);
      const { reports } = await importPaths([path, copy], { mapping });
      database.close();
      assert.deepEqual(
        reports.map(({ rowsRead }) => rowsRead),
        [0, 2, 0],
      );
      assert.match(
        reports[2]?.error ?? '',
        /copy\.db: the SQLite database is in WAL mode, and its WAL, .* is not beside it.*VACUUM INTO$/,
      );
    }));

  it('after the last writer closed it, it is read with a warning', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'x.db');
      create(path, true).close();
      const { reports } = await importPaths([path], { mapping });
      assert.deepEqual([reports[1]?.rowsRead, reports[1]?.warnings.size, reports[0]?.warnings.size], [2, 1, 0]);
    }));
});
