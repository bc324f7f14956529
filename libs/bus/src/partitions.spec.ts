import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { userNames } from '@almanac/contracts';
import { natsAccounts } from './rights/accounts.js';
import { subjects } from './names.js';
import {
  eventStream,
  hasReached,
  laterPosition,
  partitionAt,
  partitionOf,
  placed,
  positionAfter,
  sequenceOf,
  serverStream,
  serverStreams,
  serverSubject,
  serverSubjects,
  storedFrom,
  storedSequence,
} from './partitions.js';
import { permissionsOf } from './rights/permissions.js';

const stream = 'EVT_CATALOG';
const data = new Uint8Array();

describe('a stream with one partition', () => {
  const bus = { partitions: 1 };

  it('has the names, subjects and sequences of the server', () => {
    const subject = subjects.market('A');
    assert.equal(serverStream(bus, stream), stream);
    assert.equal(partitionOf(bus, stream, subject), 0);
    assert.equal(serverSubject(bus, { stream, partition: 0, subject }), subject);
    const message = { subject, seq: 7, data };
    assert.equal(placed(bus, stream, message), message);
    assert.deepEqual([sequenceOf(bus, { stream, partition: 0, stored: 7 }), storedSequence(bus, stream, 7)], [7, 7]);
    for (const user of userNames) assert.deepEqual(permissionsOf(user, 1), permissionsOf(user));
  });

  it('is every stream that no setting divides', () => {
    assert.deepEqual(serverStreams({ partitions: 4 }, ['EVT_KEYS', 'DEAD']), ['EVT_KEYS', 'DEAD']);
    assert.equal(eventStream('EVT_KEYS_01'), 'EVT_KEYS_01');
  });
});

describe('a stream with several partitions', () => {
  const bus = { partitions: 4 };

  it('divides subjects evenly, and always in the same way', () => {
    const counts = [0, 0, 0, 0];
    for (let n = 0; n < 40_000; n += 1) {
      const partition = partitionOf(bus, stream, subjects.market(`KXBTC-26MAR01-T${n}.5`));
      counts[partition] = (counts[partition] ?? 0) + 1;
    }
    for (const count of counts) assert.ok(count > 9_500 && count < 10_500, String(counts));
    // A change of the hash would search every stored subject in the wrong partition.
    const known = ['A', 'KXBTC-1', 'T95999.99', '東京'].map((id) => partitionOf(bus, stream, subjects.market(id)));
    assert.deepEqual(known, [2, 1, 1, 0]);
  });

  it('gives each event a sequence of its own, which rises within a partition and names it', () => {
    const seen = new Set<number>();
    for (const partition of [0, 1, 2, 3]) {
      for (const stored of [1, 2, 3, 1_000_000]) {
        const seq = sequenceOf(bus, { stream, partition, stored });
        seen.add(seq);
        assert.deepEqual([partitionAt(bus, stream, seq), storedSequence(bus, stream, seq)], [partition, stored]);
        assert.equal(storedFrom(bus, { stream, partition, seq }), stored);
        assert.equal(storedFrom(bus, { stream, partition, seq: seq + 1 }), stored + 1);
      }
      assert.equal(sequenceOf(bus, { stream, partition, stored: 0 }), 0);
      assert.equal(storedFrom(bus, { stream, partition, seq: 1 }), 1);
    }
    assert.equal(seen.size, 16);
  });

  it('stores a subject with its partition, and reads it back without', () => {
    const subject = subjects.market('T95999.99');
    const stored = serverSubject(bus, { stream, partition: 2, subject });
    assert.equal(stored, 'evt.catalog.02.market.T95999%2E99');
    assert.deepEqual(placed(bus, stream, { subject: stored, seq: 5, data }), { subject, seq: 22, data });
  });

  it('was read up to a position: one sequence for each partition', () => {
    assert.deepEqual(laterPosition([40, 21, 0, 7], [4, 25, 6, 7]), [40, 25, 6, 7]);
    assert.deepEqual(positionAfter([4, 12, 8, 7], 4), [12, 0, 0, 7]);
    assert.ok(hasReached([40, 21, 6, 7], [40, 21, 6, 7]));
    assert.ok(!hasReached([40, 21, 6, 7], [40, 21, 10, 7]));
    assert.ok(!hasReached([], [1]));
  });

  it('has the rights of the event stream on each partition, in the account of the event stream', () => {
    assert.deepEqual(serverSubjects(bus, 'discard.EVT_CATALOG'), ['discard.EVT_CATALOG']);
    assert.deepEqual(
      serverSubjects(bus, '$JS.API.STREAM.INFO.EVT_CATALOG'),
      [stream, ...serverStreams(bus, [stream])].map((name) => `$JS.API.STREAM.INFO.${name}`),
    );
    const accounts = natsAccounts(() => 'x', {}, bus.partitions);
    assert.deepEqual(Object.keys(accounts), Object.keys(natsAccounts(() => 'x')));
    const importsFrom = (user: string): (string | undefined)[] =>
      (accounts[user]?.imports ?? []).map(({ account }) => account);
    assert.ok(importsFrom('gateway').includes(stream));
    assert.ok(importsFrom('subscriber').length > 0);
    assert.ok(!importsFrom('subscriber').includes(stream), 'a subscriber has no right in the catalogue');
  });
});
