import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClickHouseError } from '@clickhouse/client';
import { brokenPartFault, brokenPartOf } from './broken-parts.js';
import { countQuery } from './metrics.js';
import { isServerError } from './server-errors.js';

const folder = '/home/clickhouse/data/store/c26/c263634f-215a-410f-a39f-e9199ac5bbfe';
const inPart = `(while reading from part ${folder}/202611_1_9_2/ in table default.snapshots (c263634f-215a-410f-a39f-e9199ac5bbfe) located on disk default of type local, from mark 0)`;
const failure = (code: string, type: string, message: string) => new ClickHouseError({ code, type, message });
const emptyMarks = failure(
  '246',
  'CORRUPTED_DATA',
  `Empty marks file '${folder}/202611_1_9_2/data.cmrk4': 0, must be: 144: ${inPart}. `,
);

describe('a broken part', () => {
  it('makes a query fail as unavailable, and is named', () => {
    const truncated = failure('33', 'CANNOT_READ_ALL_DATA', `Cannot read all data. Bytes read: 0.: ${inPart}`);
    const changed = failure('40', 'CHECKSUM_DOESNT_MATCH', `Checksum doesn't match: corrupted data: ${inPart}`);
    for (const error of [emptyMarks, truncated, changed]) {
      assert.ok(isServerError(error));
      assert.deepEqual(brokenPartOf(error), { part: '202611_1_9_2', table: 'default.snapshots' });
    }
    assert.deepEqual(brokenPartOf(failure('226', 'NO_FILE_IN_DATA_PART', 'No columns.txt in part x')), {
      part: 'unknown',
      table: 'unknown',
    });
  });

  it('is not the cause of an error about the rows of a request', () => {
    const ownRows = failure('33', 'CANNOT_READ_ALL_DATA', 'Cannot read all data. Bytes read: 3. Bytes expected: 8.');
    assert.equal(brokenPartOf(ownRows), undefined);
    assert.ok(!isServerError(ownRows));
    assert.equal(brokenPartOf(new Error(inPart)), undefined);
  });

  it('is reported by the health check after a query met it', () => {
    assert.equal(brokenPartFault(), null);
    countQuery('read', performance.now(), emptyMarks);
    assert.match(brokenPartFault() ?? '', /^the part 202611_1_9_2 of the table default\.snapshots is broken/);
  });
});
