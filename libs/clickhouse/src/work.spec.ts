import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { atWork } from '@almanac/runtime';
import { queryIdOfWork, querySpan } from './work.js';

describe('what is told of a query', () => {
  const told = (sql: string) => querySpan({ database: 'default' }, sql);

  it('is what it does, and to which tables', () => {
    assert.equal(told('SELECT 1').name, 'SELECT');
    assert.equal(told('INSERT INTO default.markets (ticker) FORMAT TSV').name, 'INSERT markets');
    assert.equal(told('WITH (SELECT 1 FROM a) AS x\nSELECT * FROM (SELECT 1 from a) LEFT JOIN b').name, 'SELECT a b');
    assert.equal(told('OPTIMIZE TABLE events FINAL').attributes['db.collection.name'], 'events');
  });

  it('is nothing of its values', () => {
    assert.ok(!JSON.stringify(told("SELECT 'hunter2' FROM a WHERE b = {c:String}")).includes('hunter2'));
  });

  it('has the request in its id, which no other query has', () => {
    const [one, other] = atWork({ requestId: 'r', span: undefined }, () => [queryIdOfWork(), queryIdOfWork()]);
    assert.match(one?.query_id ?? '', /^r\//);
    assert.notEqual(one?.query_id, other?.query_id);
    assert.deepEqual(queryIdOfWork(), {});
  });
});
