import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { type AdminBus, patterns, subjects } from '@almanac/bus';
import { command } from '@almanac/clickhouse';
import { seriesState } from '@almanac/contracts';
import { replicateStates } from '@almanac/event-store';
import { archive } from '../testing/archive.js';
import { type CatalogHarness, startHarness } from '../testing/harness.js';
import { replicateSeries, type SeriesReplica } from './replicate-series.js';

const known_us = 1_700_000_000_000_000;
const fee = { known_us, basis: 'venue', type: 'quadratic', multiplier: '1', valid_from_us: known_us } as const;

describe('the series of a starting service', () => {
  let catalog: CatalogHarness;
  let bus: AdminBus;
  let replica: SeriesReplica | undefined;
  const logged: string[] = [];
  const onUnreadable = (error: unknown): void => assert.fail(String(error));
  const read = async (): Promise<SeriesReplica> => {
    const log = { error: (_: object, message: string) => void logged.push(message) };
    replica = await replicateSeries({ bus, clickhouse: catalog.clickhouse, onUnreadable, log });
    return replica;
  };
  const fromStream = async () => {
    const options = { stream: 'EVT_CATALOG', filter: patterns.allSeries, state: seriesState, onUnreadable } as const;
    const stream = await replicateStates(bus, options);
    await stream.stop();
    return stream.states;
  };
  const store = (row: { id: string; state: string; seq: number }): Promise<void> =>
    command(catalog.clickhouse, {
      sql: 'INSERT INTO series (id, state, seq) VALUES ({id:String}, {state:String}, {seq:UInt64})',
      params: row,
    });
  before(async () => {
    catalog = await startHarness();
    bus = await catalog.connect('catalog');
    await catalog.recorded(...archive, { kind: 'series', id: 'BTC', label: 'Bitcoin', fees: [fee] });
  });
  afterEach(() => replica?.stop());
  after(() => catalog.stop());

  it('are those of the stream, with their words', async () => {
    const { states, text } = await read();
    assert.deepEqual(new Map(states), new Map(await fromStream()));
    assert.equal(states.get(subjects.series('BTC'))?.fees.length, 1);
    assert.ok(text.words.has('bitcoin'));
  });

  it('come from the tables, and those that another release stored without a readable state from the stream', async () => {
    const [known, stored] = [await fromStream(), Number.MAX_SAFE_INTEGER - 1];
    const renamed = { ...seriesState.parse({ id: 'HIGH' }), label: 'Only in the table' };
    await store({ id: 'HIGH', state: JSON.stringify(renamed), seq: stored });
    for (const [seq, state] of ['', JSON.stringify({ id: 'BTC', fees: 'of a newer release' })].entries()) {
      await store({ id: 'BTC', state, seq: stored + seq });
      const { states } = await read();
      assert.equal(states.get(subjects.series('HIGH'))?.label, 'Only in the table');
      assert.deepEqual(states.get(subjects.series('BTC')), known.get(subjects.series('BTC')));
      await replica?.stop();
    }
  });

  it('come from the stream while ClickHouse does not answer', async () => {
    await catalog.stopClickHouse();
    const { states } = await read();
    assert.deepEqual(new Map(states), new Map(await fromStream()));
    assert.match(logged.join(), /each one is read from the stream/);
  });
});
