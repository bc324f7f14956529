import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openCsv } from './csv.js';
import type { BrokenRow } from './source.js';

async function* partsOf(text: string): AsyncGenerator<string, void, undefined> {
  // The first part decides about the header, and a line can be in two parts.
  yield* [text.slice(0, 40), text.slice(40, 55), text.slice(55)].filter((part) => part !== '');
}

/** What a file gives until its end or its error, with and without cells. */
const both = async (text: string) => {
  const read = async (asCells: boolean) => {
    const rows: string[] = [];
    const broken: BrokenRow[] = [];
    let error: string | null = null;
    try {
      const source = await openCsv('a.csv', partsOf(text));
      for await (const block of source.blocks(asCells)) {
        rows.push(...block.rows.map((row, index) => `${block.lineOf(index)}: ${row.join(',')}`));
        broken.push(...block.broken);
      }
    } catch (cause) {
      error = cause instanceof Error ? cause.message : 'unknown';
    }
    return {
      rows,
      broken: broken.map(({ line, reason }) => `${line}: ${reason}`),
      texts: broken.map((row) => row.text),
      error,
    };
  };
  const found = await read(false);
  assert.deepEqual(await read(true), found, 'rows and cells say the same');
  return found;
};

const header = 'market,at,bid,ask\n';

describe('files that were put together', () => {
  it('the same header again is named, and is no row', async () => {
    const { rows, broken, error } = await both(`${header}A,1,0.4,0.6\n${header}A,2,0.4,0.6\r\nmarket, at,bid,ask\r\n`);
    assert.deepEqual(rows, ['2: A,1,0.4,0.6', '4: A,2,0.4,0.6']);
    assert.deepEqual(broken, ['3: the header of the file again', '5: the header of the file again']);
    assert.equal(error, null);
  });

  for (const other of ['market,at,ask,bid', 'ask,bid,at,market', 'ticker,at,bid,ask', 'market,at,bid,size'])
    it(`no row after the header ${other} is read by the first header`, async () => {
      const { rows, error } = await both(`${header}A,1,0.4,0.6\n${other}\nA,2,0.6,0.4\nA,3,0.6,0.4\n`);
      assert.deepEqual(rows, ['2: A,1,0.4,0.6']);
      assert.match(error ?? '', /a\.csv: line 3 is a header with other columns, or in another order\..*Split the file/);
    });

  it('values that are called like some columns make no header', async () => {
    const { rows, error } = await both('side,outcome,yes,no,at\nyes,no,1,2,3\nno,yes,1,2,4\n');
    assert.deepEqual(rows, ['2: yes,no,1,2,3', '3: no,yes,1,2,4']);
    assert.equal(error, null);
  });
});

it('a first line sep=; of Excel is no header, and lines that end with CR alone are named', async () => {
  const { rows, error } = await both('sep=;\r\nmarket;at\r\nA;1\r\n');
  assert.deepEqual([rows, error], [['3: A,1'], null]);
  const old = await both('market,at\rA,1\rA,2\r');
  assert.deepEqual(old.rows, []);
  assert.match(old.error ?? '', /a\.csv: the lines end with CR alone/);
});

it('a quote that is never closed is an error with its line, because the rest of the file is inside of it', async () => {
  const { rows, error } = await both(`${header}A,1,0.4,0.6\n"B,2,0.4,0.6\nA,3,0.4,0.6\nA,4,0.4,0.6\n`);
  assert.deepEqual(rows, ['2: A,1,0.4,0.6']);
  assert.match(error ?? '', /a\.csv: the record at line 3 has no end\. Check for a missing quote/);
});

describe('cells in quotes', () => {
  /** Whether each block of rows has cells. */
  const hasCells = async (text: string): Promise<boolean> => {
    const source = await openCsv('a.csv', partsOf(text));
    let has = true;
    for await (const block of source.blocks(true)) has &&= block.cells !== undefined || block.rows.length === 0;
    return has;
  };

  it('are read as cells, with delimiters inside and line ends of both kinds', async () => {
    const text = `"market","at","bid","ask"\n"A",1,"0,4","0.6"\n"","2","",""\r\nB,"3",0.4,"0.6"\r\n"C","4",0.4,0.6`;
    const { rows, broken, error } = await both(text);
    assert.deepEqual(rows, ['2: A,1,0,4,0.6', '3: ,2,,', '4: B,3,0.4,0.6', '5: C,4,0.4,0.6']);
    assert.deepEqual([broken, error], [[], null]);
    assert.equal(await hasCells(text), true);
  });

  for (const [what, line] of [
    ['a quote', '"A ""a""",1,0.4,0.6'],
    ['a line end', '"A\na",1,0.4,0.6'],
    ['a space behind', '"A" ,1,0.4,0.6'],
    ['a text behind', '"A"a,1,0.4,0.6'],
    ['a space before', 'A, "1",0.4,0.6'],
    ['a quote in the middle', 'A "a",1,0.4,0.6'],
    ['too few columns', '"A","1","0.4"'],
    ['too many columns', '"A","1","0.4","0.6","7"'],
    ['the header again', '"market","at","bid","ask"'],
    ['another header', '"market","at","ask","bid"'],
    ['nothing but a quote', '"'],
  ] as const)
    it(`with ${what} say the same as cells and as rows`, async () => {
      await both(`${header}"B","1","0.4","0.6"\n${line}\n"C","1","0.4","0.6"\n`);
      await both(`${header}${line}\r\n"C","1","0.4","0.6"`);
    });
});
