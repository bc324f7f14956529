import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EngineError } from './errors.js';
import { binderOf } from './params.js';
import { parseStatement } from './statement.js';

describe('splitStatement', () => {
  it('splits a read at its FORMAT clause only', () => {
    assert.deepEqual(parseStatement("SELECT format, 1 FROM t WHERE a = 'FORMAT CSV' FORMAT JSON SETTINGS x = 1;"), {
      kind: 'read',
      head: `SELECT format, 1 FROM t WHERE a = 'FORMAT CSV' `,
      format: 'JSON',
      tail: ' SETTINGS x = 1',
    });
    const plain = parseStatement('(SELECT 1 FROM (SELECT 2 AS format) ORDER BY format) -- FORMAT x');
    assert.equal(plain.kind === 'read' ? plain.format : '', undefined);
  });

  it('finds the table of an insert and leaves its rows untouched', () => {
    const rows = parseStatement("INSERT INTO TABLE `a b`.t (x, y) FORMAT TSV\n1;\t'2\n");
    assert.deepEqual(rows, {
      kind: 'insert',
      table: 'a b.t',
      head: 'INSERT INTO TABLE `a b`.t (x, y) ',
      format: 'TSV',
      data: `1;\t'2\n`,
    });
    const values = parseStatement(`INSERT INTO t VALUES (1, ';');`);
    assert.equal(values.kind === 'insert' ? values.data : '', `(1, ';')`);
    const select = parseStatement('INSERT INTO t(x) WITH 1 AS y SELECT y');
    assert.equal(select.kind === 'insert-select' ? `${select.table}: ${select.select}` : '', 't: WITH 1 AS y SELECT y');
  });

  it('accepts one statement only, and none that touches a file', () => {
    for (const sql of [
      '',
      ' -- nothing',
      'SELECT 1; SELECT 2',
      'DROP TABLE t; SELECT 1',
      `SELECT 'open`,
      '/* open',
      'SELECT $$a$$',
      `SELECT 1 INTO /* */ OUTFILE 'x'`,
      `INSERT INTO t FROM INFILE 'x' FORMAT TSV`,
      `INSERT INTO FUNCTION file('x', 'TSV') SELECT 1`,
      'INSERT INTO t',
    ]) {
      assert.throws(() => parseStatement(sql), EngineError, sql);
    }
  });

  it('inserts bound values as literals, and only at placeholders', () => {
    const values = new Map([
      ['a', `it's \\\\ \\t`],
      ['t', 'db.odd`name'],
      ['n', '\\N'],
      ['l', `['x\\'y']`],
    ]);
    const bindValues = (sql: string): string => binderOf(sql)(values);
    assert.equal(
      bindValues(
        `SELECT {a:String}, '{a:String}' /* {b:String} */ FROM {t:Identifier} WHERE x = { n : Nullable(UInt8) }`,
      ),
      `SELECT 'it\\'s \\\\ \t', '{a:String}' /* {b:String} */ FROM \`db\`.\`odd\\\`name\` WHERE x = _CAST(NULL, 'Nullable(UInt8)')`,
    );
    assert.equal(bindValues('{l:Array(String)}'), `_CAST('[\\'x\\\\\\'y\\']', 'Array(String)')`);
    assert.equal(bindValues(`SELECT {'k': 1}`), `SELECT {'k': 1}`);
    assert.throws(() => bindValues('SELECT {gone:String}'), EngineError);
  });
});
