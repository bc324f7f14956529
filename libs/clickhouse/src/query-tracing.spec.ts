import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInRequestContext } from '@almanac/runtime';
import { queryIdOfRequest, querySpan } from './query-tracing.js';

describe('the trace of a query', () => {
  const tracedQueryIds = (sql: string) => querySpan({ database: 'default' }, sql);

  it('names its operation and its tables', () => {
    assert.equal(tracedQueryIds('SELECT 1').name, 'SELECT');
    assert.equal(tracedQueryIds('INSERT INTO default.markets (ticker) FORMAT TSV').name, 'INSERT markets');
    assert.equal(
      tracedQueryIds('WITH (SELECT 1 FROM a) AS x\nSELECT * FROM (SELECT 1 from a) LEFT JOIN b').name,
      'SELECT a b',
    );
    assert.equal(tracedQueryIds('OPTIMIZE TABLE events FINAL').attributes['db.collection.name'], 'events');
  });

  it('contains none of its values', () => {
    assert.ok(!JSON.stringify(tracedQueryIds("SELECT 'hunter2' FROM a WHERE b = {c:String}")).includes('hunter2'));
  });

  it('has the request id in its query id, which is unique', () => {
    const [one, other] = runInRequestContext({ requestId: 'r', span: undefined }, () => [
      queryIdOfRequest(),
      queryIdOfRequest(),
    ]);
    assert.match(one?.query_id ?? '', /^r\//);
    assert.notEqual(one?.query_id, other?.query_id);
    assert.deepEqual(queryIdOfRequest(), {});
  });
});
