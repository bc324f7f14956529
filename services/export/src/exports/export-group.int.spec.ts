import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import { jetStreamStore } from '@almanac/event-store';
import { partExportId, unixMicros } from '@almanac/runtime';
import { exportDecider } from './export.decider.js';
import { pendingExportsOf } from './export-group.js';
import { unpackTickers } from '../files/manifest.js';
import { startRunningHarness, refuses, type ExportHarness } from '../testing/harness.js';
import { storeMarkets, storeObservations } from '../testing/archive.js';
import { queryOf } from '../testing/queries.js';

const days = ['2026-02-24', '2026-02-25', '2026-02-26'] as const;
const streams = ['snapshots' as const];

describe('exports of ranges and lists', { timeout: 240_000 }, () => {
  let harness: ExportHarness;
  let account: string;
  let event: string;
  let series: string;
  before(async () => {
    harness = await startRunningHarness();
  });
  after(() => harness.close());

  /** A series with a market of two and of three rows on the first and the third day, and none on the second. */
  beforeEach(async () => {
    ({ account, event } = await harness.change());
    series = `KXR${randomUUID().slice(0, 8)}`;
    const parts = days.map((day, index) => {
      const of = `${series}-E${index}`;
      const isEmpty = index === 1;
      return { day, event: null, events: isEmpty ? [] : [of], tickers: isEmpty ? [] : [`${of}-1`], has_rows: !isEmpty };
    });
    const names = { event: null, ticker: null, series };
    const [events, tickers] = [parts.flatMap((part) => part.events), parts.flatMap((part) => part.tickers)];
    const range = { ...names, day: null, events, tickers, parts };
    harness.stubs.targets.set(`${series} ${days[0]} ${days[2]}`, range);
    for (const part of parts.filter(({ has_rows }) => has_rows)) {
      const { day, events: own, tickers: ownTickers } = part;
      harness.stubs.targets.set(`${series} ${day}`, { ...names, day, events: own, tickers: ownTickers, parts: [part] });
    }
    await storeMarkets(
      harness.fixture,
      tickers.map((ticker, index) => ({ ticker, event_ticker: events[index] ?? '', series, seq: 1 })),
    );
    const rowsOf = (index: number, day: string, count: number) =>
      Array.from({ length: count }, (_, second) => ({
        ticker: tickers[index],
        series,
        seq: 1,
        ts: String(Date.parse(`${day}T12:00:00Z`) / 1_000 + second),
      }));
    await storeObservations(harness.fixture, [...rowsOf(0, days[0], 2), ...rowsOf(1, days[2], 3)]);
  });

  const rangeOf = () => ({ series, from: days[0], to: days[2], streams });
  const split = 'day' as const;

  it('writes a range into one file, which lists every day, and says which have no rows', async () => {
    const created = await harness.create(rangeOf());
    assert.deepEqual(
      [created.series, created.day, created.from, created.to, created.group],
      [series, null, days[0], days[2], null],
    );
    assert.equal(created.filename, `${series}_2026-02-24_2026-02-26_snapshots.csv`);
    assert.deepEqual(created.remarks, ['The archive has no observations on 1 of 3 days: 2026-02-25.']);
    const { file } = await harness.endsOnce(created.id);
    assert.deepEqual([file.row_count, file.markets], [5, 2]);
    assert.deepEqual(await unpackTickers((await harness.fileOf(created.id)).markets ?? ''), [
      `${series}-E0-1`,
      `${series}-E2-1`,
    ]);
    const { manifest } = await harness.link(created.id);
    assert.deepEqual(manifest?.days, [
      { day: days[0], rows: 2 },
      { day: days[1], rows: 0 },
      { day: days[2], rows: 3 },
    ]);
    assert.deepEqual([manifest.query.from, manifest.query.to, manifest.row_count], [days[0], days[2], 5]);
    assert.equal(harness.stubs.claims.at(-1)?.day_pack, true);
    assert.equal((await harness.endsOnce((await harness.create(rangeOf())).id)).file.sha256, file.sha256);
  });

  it('writes lists of events and of markets into one file, whatever their order', async () => {
    const [one, two] = [`${series}-E0`, `${series}-E2`];
    const part = (of: string) => ({ day: null, event: of, events: [of], tickers: [`${of}-1`], has_rows: true });
    const target = {
      event: null,
      ticker: null,
      series,
      day: null,
      events: [one, two],
      tickers: [`${one}-1`, `${two}-1`],
    };
    harness.stubs.targets.set(`${one},${two}`, { ...target, parts: [part(one), part(two)] });
    harness.stubs.targets.set(`${one}-1,${two}-1`, { ...target, parts: [part(one), part(two)] });
    const created = await harness.create({ events: [two, one, two], streams });
    assert.deepEqual(
      [created.events, created.event, created.filename],
      [[one, two], null, `${one}_and_1_more_snapshots.csv`],
    );
    const { file, file_key } = await harness.endsOnce(created.id);
    assert.deepEqual([file.row_count, file.markets], [5, 2]);
    assert.equal(
      (await harness.endsOnce((await harness.create({ events: [one, two], streams })).id)).file_key,
      file_key,
    );
    const markets = await harness.create({ tickers: [`${two}-1`, `${one}-1`], streams });
    assert.deepEqual(markets.tickers, [`${one}-1`, `${two}-1`]);
    assert.equal((await harness.endsOnce(markets.id)).file.row_count, 5);
    assert.deepEqual(await harness.textOf(markets.id), await harness.textOf(created.id));
    const claim = harness.stubs.claims.at(-1);
    assert.deepEqual([claim?.events, claim?.day_pack, claim?.split], [[one, two], false, false]);
    assert.deepEqual(
      claim?.parts.map(({ events }) => events),
      [[one], [two]],
      'each is paid for by itself',
    );
  });

  it('treats a range of one day and a list of one like the plain target, with the same file', async () => {
    const { file_key } = await harness.endsOnce((await harness.create({ series, day: days[0], streams })).id);
    const range = await harness.create({ series, from: days[0], to: days[0], streams });
    assert.deepEqual([range.day, range.from, range.to], [days[0], days[0], days[0]]);
    assert.equal((await harness.endsOnce(range.id)).file_key, file_key);
    const list = await harness.create({ events: [event], streams });
    assert.deepEqual([list.event, list.events], [event, null]);
  });

  it('creates an export for each day with rows when it is split, with the files of day packs', async () => {
    const group = await harness.createGroup({ ...rangeOf(), split });
    assert.deepEqual(
      [group.count, group.remarks],
      [2, ['The archive has no observations on 1 of 3 days: 2026-02-25.']],
    );
    assert.deepEqual(
      group.exports.map(({ day, status, filename }) => [day, status, filename]),
      [
        [days[0], 'pending', `${series}_2026-02-24_snapshots.csv`],
        [days[2], 'pending', `${series}_2026-02-26_snapshots.csv`],
      ],
    );
    const ends = await Promise.all(group.exports.map(({ id }) => harness.endsOnce(id)));
    assert.deepEqual(
      ends.map(({ file }) => file.row_count),
      [2, 3],
    );
    const pack = await harness.endsOnce((await harness.create({ series, day: days[2], streams })).id);
    assert.equal(pack.file_key, ends[1]?.file_key);
    const claim = harness.stubs.claims.find(({ export_id }) => export_id === group.group);
    assert.deepEqual(
      [claim?.split, claim?.parts.map(({ events }) => events)],
      [true, [[`${series}-E0`], [`${series}-E2`]]],
    );
    const listed = await harness.list({ group: group.group });
    const ids = group.exports.map(({ id }) => id);
    assert.deepEqual(listed.exports.map(({ id }) => id).toSorted(), ids.toSorted());
    assert.ok(listed.exports.every((one) => one.group === group.group && one.from === one.day && one.to === one.day));
    assert.deepEqual((await harness.list({ group: randomUUID() })).exports, []);
  });

  it('answers a repeated key with the same exports, and another request with a conflict', async () => {
    const idempotency_key = randomUUID();
    const first = await harness.createGroup({ ...rangeOf(), split, idempotency_key });
    for (const { id } of first.exports) await harness.endsOnce(id);
    const claims = harness.stubs.claims.length;
    assert.deepEqual(await harness.createGroup({ ...rangeOf(), split, idempotency_key }), first);
    assert.equal(harness.stubs.claims.length, claims);
    for (const other of [
      { ...rangeOf() },
      { ...rangeOf(), to: days[1], split },
      { series, day: days[0], streams, split },
    ]) {
      await refuses(harness.create({ ...other, idempotency_key }), 'idempotency_conflict');
    }
    assert.equal((await harness.list()).count, 2);
  });

  it('creates one group of simultaneous requests under one key', async () => {
    const idempotency_key = randomUUID();
    const all = await Promise.all(
      Array.from({ length: 5 }, () => harness.createGroup({ ...rangeOf(), split, idempotency_key })),
    );
    assert.equal(new Set(all.map((one) => JSON.stringify(one))).size, 1);
    for (const { id } of all[0]?.exports ?? []) await harness.endsOnce(id);
    assert.equal((await harness.list()).count, 2);
  });

  it('records the other exports of a request whose process died after the first', async () => {
    const id = randomUUID();
    const query = queryOf({ series, day: days[0] });
    const common = { grant: 'plan' as const, filename: 'f.csv' };
    const others = [{ ...common, day: days[2], file_key: randomUUID() }];
    const group = { id, part: 0, from: days[0], to: days[2], others };
    const request = { ...common, query, file_key: randomUUID(), requested_us: unixMicros(), group };
    const decider = exportDecider(account, id);
    const requested = decider.decide({ type: 'request', request }, undefined);
    assert.ok(requested !== null);
    const state = decider.evolve(undefined, requested);
    const stored = { id: randomUUID(), version: 1, time: 1, account, ...requested, state } as const;
    await jetStreamStore(harness.own).append(subjects.export(account, id), stored, 0);
    await harness.endsOnce(id);
    const other = await harness.endsOnce(partExportId(account, id, 1));
    assert.deepEqual([other.query.day, other.file.row_count, other.group?.part], [days[2], 3, 1]);
    assert.ok(state.status === 'pending');
    assert.deepEqual(
      pendingExportsOf(state).map((one) => one.id),
      [id, other.id],
    );
  });

  it('quotes each part of a range and of a list, with the rows of the whole', async () => {
    const usd = (amount: number) => ({ amount, currency: 'USD' });
    const { quote } = harness.stubs;
    const plan = { grant: 'plan' as const, cost: usd(0), locked_n: 1 };
    const nothing = { grant: null, cost: usd(500), locked_n: 1 };
    try {
      harness.stubs.quote = { ...quote, parts: [plan, plan, nothing] };
      const whole = await harness.quote(rangeOf());
      assert.equal(whole.row_count, 5);
      const none = 'The archive has no observations on this day.';
      const locked = 'Your plan does not cover this part, and 1 of its 1 events are not unlocked.';
      const rowsOf = (row_count: number) => ({ event: null, row_count, markets: row_count === 0 ? 0 : 1 });
      assert.deepEqual(whole.parts, [
        { day: days[0], ...rowsOf(2), grant: 'plan', cost: usd(0), reason: null },
        { day: days[1], ...rowsOf(0), grant: 'plan', cost: usd(0), reason: none },
        { day: days[2], ...rowsOf(3), grant: null, cost: usd(500), reason: locked },
      ]);
      harness.stubs.quote = { ...quote, parts: [plan, nothing] };
      const files = await harness.quote({ ...rangeOf(), split });
      assert.deepEqual([files.row_count, files.markets], [5, 2]);
      assert.ok(files.bytes_estimate > whole.bytes_estimate, 'each file has its own header');
      assert.deepEqual(
        files.parts.map(({ grant, row_count, reason }) => [grant, row_count, reason]),
        [
          ['plan', 2, null],
          [null, 0, none],
          [null, 3, locked],
        ],
      );
    } finally {
      harness.stubs.quote = quote;
    }
  });
});
