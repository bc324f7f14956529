import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { command } from '@almanac/clickhouse';
import { lastMessage, messageBefore, patterns, readEvent, rpcClient, subjects } from '@almanac/bus';
import { archiveState, catalogRpc, DomainError, eventState, marketState, seriesState } from '@almanac/contracts';
import { readiness } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { type CatalogHarness, startHarness } from '../testing/harness.js';

describe('recording', () => {
  let catalog: CatalogHarness;
  before(async () => {
    catalog = await startHarness();
  });
  after(() => catalog.stop());

  const detail = (ticker: string) => catalog.call('gateway', catalogRpc.marketDetail, { ticker });
  const versionOf = async (ticker: string): Promise<number> => {
    const message = await lastMessage(await catalog.connect('catalog'), 'EVT_ARCHIVE', subjects.archive(ticker));
    return message === null ? 0 : readEvent(message, archiveState).event.state.version;
  };

  it('makes a market readable, with its series and event, and gives it a data version', async () => {
    const recorded = await catalog.recorded({
      kind: 'market',
      ticker: 'A-26-1',
      series: 'A',
      event_ticker: 'A-26',
      category: 'crypto',
      category_label: 'Crypto',
      floor_strike: '65573.37',
      open_us: 1_771_993_365_058_297,
      close_us: 1_771_993_800_000_000,
      result: 'yes',
      open_price: { price: '65541.895', us: 1_771_993_364_116_297 },
    });
    assert.deepEqual(recorded.outcomes, [{ outcome: 'created' }]);
    assert.ok(recorded.last_seq >= 3, 'the events of the series, the event and the market');
    const { source: _source, market, ...provenance } = await detail('A-26-1');
    assert.deepEqual(provenance, {
      title_source: 'almanac',
      settlement_value: null,
      coin_price_start_age_s: 0.942,
      coin_price_end_age_s: null,
      volume: null,
      venue: null,
      trades_n: 0,
      rules: null,
      tick_size: null,
      fee: null,
      history: [
        { field: 'close_ts', value: 1771993800, known_ts: null, basis: null },
        { field: 'result', value: 'yes', known_ts: null, basis: null },
      ],
      history_has_more: false,
    });
    assert.deepEqual(market, {
      ticker: 'A-26-1',
      series: 'A',
      title: 'A: strike 65,573.37, closes 2026-02-25 04:30 UTC',
      status: 'finalized',
      result: 'yes',
      open_ts: 1771993365.058297,
      close_ts: 1771993800,
      floor_strike: 65573.37,
      strike_type: null,
      coin_price_start: 65541.895,
      coin_price_end: null,
      expiration_value: null,
      settlement_ts: null,
      event_ticker: 'A-26',
      category: 'crypto',
      shape: null,
      capture: null,
    });
    const listed = await catalog.call('gateway', catalogRpc.eventDetail, { event_id: 'A-26' });
    assert.deepEqual(listed.markets, [market]);
    assert.equal(await versionOf('A-26-1'), 1);
  });

  it('reports for each fact whether it was created, changed, unchanged or refused, in order', async () => {
    const fact = { kind: 'market', ticker: 'B-1', title: 'One' } as const;
    const { outcomes } = await catalog.recorded(
      fact,
      { kind: 'market', ticker: 'x'.repeat(4_000) },
      fact,
      { ...fact, title: 'Two' },
      { kind: 'series', id: 'B', shape: 'rolling' },
      { kind: 'event', event_ticker: 'B-E', series: 'B2' },
    );
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ['created', 'refused', 'unchanged', 'changed', 'created', 'created'],
    );
    assert.equal((await detail('B-1')).market.title, 'Two');
    const again = await catalog.recorded({ ...fact, title: 'Two' });
    assert.deepEqual(again, { outcomes: [{ outcome: 'unchanged' }], last_seq: 0 });
  });

  it('records 500 facts about one market as one event, each with its own outcome', async () => {
    const fact = (n: number) => ({ kind: 'market', ticker: 'R-1', floor_strike: `${n}`, result: 'yes' }) as const;
    const facts = Array.from({ length: 500 }, (_, n) => fact(n < 10 ? n : 10));
    const reply = await catalog.call('ingest', catalogRpc.record, { facts });
    const counts = Map.groupBy(reply.outcomes, ({ outcome }) => outcome);
    assert.deepEqual(
      Array.from(counts, ([outcome, all]) => [outcome, all.length]),
      [
        ['created', 1],
        ['changed', 10],
        ['unchanged', 489],
      ],
    );
    const bus = await catalog.connect('catalog');
    const last = await lastMessage(bus, 'EVT_CATALOG', subjects.market('R-1'));
    assert.ok(last);
    assert.equal(await messageBefore(bus, { stream: 'EVT_CATALOG', subject: subjects.market('R-1') }, last.seq), null);
    const { event } = readEvent(last, marketState);
    assert.deepEqual(event.data, { ticker: 'R-1', floor_strike: '10', result: 'yes' });
    assert.equal(event.state.floor_strike, '10');
  });

  it('creates referenced entities, and completes a series from its markets without overwriting it', async () => {
    await catalog.recorded(
      { kind: 'market', ticker: 'C-1-1', series: 'C', event_ticker: 'C-1', category: 'weather', category_label: 'Sky' },
      { kind: 'series', id: 'C', label: 'Rain', category: 'climate' },
    );
    const bus = await catalog.connect('catalog');
    const series = await lastMessage(bus, 'EVT_CATALOG', subjects.series('C'));
    const event = await lastMessage(bus, 'EVT_CATALOG', subjects.event('C-1'));
    assert.ok(series && event);
    const { state } = readEvent(series, seriesState).event;
    assert.deepEqual(state, {
      id: 'C',
      label: 'Rain',
      derived_label: null,
      category: 'climate',
      category_label: 'Sky',
      shape: null,
      fees: [],
    });
    assert.deepEqual(readEvent(event, eventState).event.state, {
      event_ticker: 'C-1',
      title: null,
      series: 'C',
      category: 'weather',
      category_label: null,
    });
  });

  it('takes the category and words of a series from an event when no source states more', async () => {
    const category = { category: 'world', category_label: 'World' };
    await catalog.recorded({ kind: 'event', event_ticker: 'D-1', series: 'D', title: 'Who?', ...category });
    const series = await lastMessage(await catalog.connect('catalog'), 'EVT_CATALOG', subjects.series('D'));
    assert.ok(series);
    assert.deepEqual(readEvent(series, seriesState).event.state, {
      id: 'D',
      label: 'D',
      derived_label: true,
      ...category,
      shape: null,
      fees: [],
    });
  });

  it('changes a market that was there before its event', async () => {
    await catalog.recorded({ kind: 'market', ticker: 'C-2-1', title: 'Kept' });
    const named = { kind: 'market', ticker: 'C-2-1', event_ticker: 'C-2' } as const;
    const { outcomes } = await catalog.recorded(named, named);
    assert.deepEqual(outcomes, [{ outcome: 'changed' }, { outcome: 'unchanged' }]);
    const { market } = await detail('C-2-1');
    assert.deepEqual([market.title, market.event_ticker], ['Kept', 'C-2']);
  });

  it('shows the shape of a series on its markets as soon as the series has one', async () => {
    await catalog.recorded({ kind: 'market', ticker: 'D-1', series: 'D' });
    assert.equal((await detail('D-1')).market.shape, null);
    await catalog.recorded({ kind: 'series', id: 'D', shape: 'rolling' });
    await eventually(async () => assert.equal((await detail('D-1')).market.shape, 'rolling'));
  });

  it('keeps the facts of two processes that record one market at the same time', async () => {
    const recordField = (field: object) =>
      catalog.call('ingest', catalogRpc.record, { facts: [{ kind: 'market', ticker: 'E-1', ...field }] });
    await Promise.all([
      recordField({ title: 'Title' }),
      recordField({ result: 'no' }),
      recordField({ strike_type: 'greater' }),
      recordField({ category: 'crypto' }),
      recordField({ capture: 'l2' }),
    ]);
    const { market } = await detail('E-1');
    assert.deepEqual(
      [market.title, market.result, market.strike_type, market.category, market.capture],
      ['Title', 'no', 'greater', 'crypto', 'l2'],
    );
  });

  it('accepts any valid id, and its text is found again exactly', async () => {
    const ids = [
      'T95999.99',
      'a*b',
      'a>b',
      '*',
      '>',
      '.',
      'a b',
      `it's "q" \\ \t`,
      `'; DROP TABLE markets; --`,
      '東京',
      '%41',
    ];
    const facts = ids.map(
      (ticker) => ({ kind: 'market', ticker, event_ticker: ticker, series: ticker, title: ticker }) as const,
    );
    const { outcomes } = await catalog.recorded(...facts);
    assert.deepEqual([...new Set(outcomes.map(({ outcome }) => outcome))], ['created']);
    for (const id of ids) {
      assert.equal((await detail(id)).market.title, id);
      const event = await catalog.call('gateway', catalogRpc.eventDetail, { event_id: id });
      assert.deepEqual([event.event.event_ticker, event.markets.map(({ ticker }) => ticker)], [id, [id]]);
      const series = await catalog.call('gateway', catalogRpc.seriesDetail, { series_id: id });
      assert.deepEqual([series.series.id, series.count], [id, 1]);
      const found = await catalog.call('gateway', catalogRpc.search, { q: id });
      assert.equal(found.hits[0]?.id, id);
      const target = await catalog.call('export', catalogRpc.exportTarget, { ticker: id });
      assert.deepEqual(target.events, [id]);
    }
  });

  it('gives each market one data version and one row when a restart repeats batches', async () => {
    const facts = Array.from({ length: 300 }, (_, n) => ({ kind: 'market', ticker: `F-${n}`, series: 'F' }) as const);
    const { last_seq } = await catalog.call('ingest', catalogRpc.record, { facts });
    await catalog.restart();
    await catalog.call('ingest', catalogRpc.awaitReadable, { seq: last_seq });
    const listed = await catalog.call('gateway', catalogRpc.seriesDetail, { series_id: 'F', limit: 200 });
    assert.deepEqual([listed.series.markets_n, listed.count, listed.has_more], [300, 200, true]);
    const bus = await catalog.connect('catalog');
    const { state } = await bus.jsm.streams.info('EVT_ARCHIVE', { subjects_filter: patterns.allOf('EVT_ARCHIVE') });
    const changes = Object.entries(state.subjects ?? {}).filter(([subject]) => subject.includes('.F-'));
    assert.equal(changes.length, 300);
    assert.ok(changes.every(([, count]) => count === 1));
    assert.equal((await detail('F-299')).market.ticker, 'F-299');
  });

  it('keeps the newest state when an older row arrives later', async () => {
    await catalog.recorded({ kind: 'series', id: 'G', label: 'old' });
    await catalog.recorded({ kind: 'series', id: 'G', label: 'new' });
    const sql = `INSERT INTO series SELECT * REPLACE ('late' AS label, seq - 1 AS seq) FROM series FINAL WHERE id = 'G'`;
    await command(catalog.clickhouse, { sql });
    const { series } = await catalog.call('gateway', catalogRpc.seriesDetail, { series_id: 'G' });
    assert.equal(series.label, 'new');
  });

  it('waits no longer than its timeout for facts that were never recorded', async () => {
    const bus = await catalog.connect('ingest');
    const pendingReadable = rpcClient(bus).call(catalogRpc.awaitReadable, {
      input: { seq: 1_000_000_000 },
      context: { requestId: 'late', timeoutMs: 400 },
    });
    await assert.rejects(pendingReadable, (error) => error instanceof DomainError && error.code === 'unavailable');
  });

  it('is ready while NATS and ClickHouse answer', async () => {
    const { ready, checks } = await readiness(catalog.runtime.health);
    assert.deepEqual([ready, checks], [true, { process: 'ok', nats: 'ok', clickhouse: 'ok' }]);
  });

  // Last in the file, since ClickHouse does not restart.
  it('records and shows markets and series without ClickHouse, and reports other queries as unavailable', async () => {
    await catalog.stopClickHouse();
    const recorded = await catalog.call('ingest', catalogRpc.record, { facts: [{ kind: 'market', ticker: 'H-1' }] });
    assert.deepEqual(recorded.outcomes, [{ outcome: 'created' }]);
    assert.equal((await detail('H-1')).market.ticker, 'H-1');
    const isUnavailable = (error: unknown) => error instanceof DomainError && error.code === 'unavailable';
    await assert.rejects(catalog.call('gateway', catalogRpc.search, { q: 'H' }), isUnavailable);
    await assert.rejects(catalog.call('gateway', catalogRpc.listSeries, { from_ts: 0 }), isUnavailable);
    assert.equal((await catalog.call('gateway', catalogRpc.listSeries, { q: 'G' })).series[0]?.label, 'new');
    const { ready, checks } = await readiness(catalog.runtime.health);
    assert.equal(ready, false);
    assert.notEqual(checks['clickhouse'], 'ok');
  });
});
