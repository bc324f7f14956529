import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AdminBus, connectBus, subjects } from '@almanac/bus';
import { type ClickHouse, command, connectClickHouse, localTableOf, rows } from '@almanac/clickhouse';
import { archiveState, DomainError, timeseriesRpc } from '@almanac/contracts';
import { type EventStore, jetStreamStore } from '@almanac/event-store';
import { createLogger } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import type { Callers, TimeseriesFixture } from '../testing/fixture.js';
import { startHarness, type TimeseriesHarness } from '../testing/harness.js';
import { announceOpenBatches } from './announce-open-batches.js';
import { announcements } from './announcements.js';
import { insertQueue } from './insert-queue.js';
import { recentStates } from './recent-states.js';
import { storeObservations } from './store-observations.command.js';

let tested: TimeseriesHarness;
before(async () => {
  tested = await startHarness();
});
after(() => tested.stop());

const log = createLogger('test', 'silent');
const never = (): Promise<never> => new Promise(() => undefined);

describe('a stored batch', () => {
  let bus: AdminBus;
  let clickhouse: ClickHouse;
  const stops: (() => Promise<void>)[] = [];
  before(async () => {
    const { fixture } = tested;
    const { NATS_URL: url, NATS_PASSWORD: password } = fixture.config;
    bus = await connectBus({ url, user: 'timeseries', ...(password === undefined ? {} : { password }) });
    const { CLICKHOUSE_URL, CLICKHOUSE_USER, CLICKHOUSE_PASSWORD } = fixture.config;
    clickhouse = connectClickHouse({
      url: CLICKHOUSE_URL,
      username: CLICKHOUSE_USER,
      password: CLICKHOUSE_PASSWORD ?? '',
    });
  });
  after(async () => {
    for (const stop of stops) await stop();
    await Promise.all([bus.close(), clickhouse.close()]);
  });

  const processOf = (store: EventStore, recent = recentStates()) => {
    const inserts = insertQueue(clickhouse);
    const started = announcements({ clickhouse, inserts, store, recent, log });
    stops.push(() => started.stop());
    return { inserts, announcements: started };
  };
  const store = (deps: ReturnType<typeof processOf>, ticker: string, price = '1') =>
    storeObservations(
      deps,
      { columns: 'top', markets: [{ ticker, rows: 1, min_us: 5, max_us: 5 }], spans: [] },
      {
        body: Buffer.from([ticker, 'S', '1771992900.000001', '\\N', '1', '0.4', '0.6', price].join('\t') + '\n'),
        signal: AbortSignal.timeout(60_000),
        remainingMs: 60_000,
      },
    );
  const versionOf = async (ticker: string): Promise<number> =>
    (await jetStreamStore(bus).load(subjects.archive(ticker), archiveState))?.state.version ?? 0;
  const stored = async (ticker: string): Promise<number> => {
    const sql = 'SELECT count() AS n FROM snapshots WHERE ticker = {ticker:String}';
    const [first] = await rows(
      tested.fixture.operator,
      { sql, params: { ticker } },
      z.object({ n: z.coerce.number() }),
    );
    return first?.n ?? 0;
  };

  it('is announced by another process if its own died before the event', async () => {
    const real = jetStreamStore(bus);
    // A process that was killed: its append neither happens nor fails.
    void store(processOf({ ...real, append: never }), 'KILLED');
    await eventually(async () => assert.equal(await stored('KILLED'), 1));
    assert.equal(await versionOf('KILLED'), 0);
    const other = processOf(real);
    assert.equal(await other.announcements.announceOpen(120), 0, 'a running call is left alone');
    const running = announceOpenBatches(other.announcements, log, { everyMs: 20, minAgeS: 0 });
    try {
      await eventually(async () => assert.equal(await versionOf('KILLED'), 1));
    } finally {
      await running.stop();
    }
    assert.equal(await other.announcements.announceOpen(0), 0);
    assert.equal(await versionOf('KILLED'), 1, 'announced once');
  });

  it('is announced once for each market, however often its events failed', async () => {
    const real = jetStreamStore(bus);
    const failing = processOf({ ...real, append: () => Promise.reject(new Error('NATS is unavailable')) });
    for (let n = 0; n < 5; n += 1) await assert.rejects(store(failing, 'FAILED'), /NATS is unavailable/);
    assert.equal(await versionOf('FAILED'), 0);
    assert.equal(await processOf(real).announcements.announceOpen(0), 5);
    assert.equal(await versionOf('FAILED'), 1);
  });

  it('is announced without a read if an event brought the state of its market, however old the state is', async () => {
    const real = jetStreamStore(bus);
    const subject = subjects.archive('RECENT');
    let loads = 0;
    const counting: EventStore = {
      ...real,
      load: (at, state) => {
        loads += 1;
        return real.load(at, state);
      },
    };
    const recent = recentStates();
    const deps = processOf(counting, recent);
    await store(deps, 'RECENT');
    const first = await real.load(subject, archiveState);
    assert.ok(first);
    recent.put(subject, first);
    loads = 0;
    await store(deps, 'RECENT');
    assert.deepEqual([await versionOf('RECENT'), loads], [2, 0]);
    // The state of the first version is out of date now.
    await store(deps, 'RECENT');
    assert.deepEqual([await versionOf('RECENT'), loads], [3, 1]);
    await deps.announcements.stop();
  });

  it('that was announced or refused leaves nothing to announce', async () => {
    const deps = processOf(jetStreamStore(bus));
    await store(deps, 'DONE');
    await assert.rejects(store(deps, 'REFUSED', 'no price'), /do not fit/);
    await deps.announcements.stop();
    assert.equal(await deps.announcements.announceOpen(0), 0);
    assert.deepEqual([await versionOf('DONE'), await versionOf('REFUSED')], [1, 0]);
  });
});

const atUs = 1_771_992_900_000_000;

describe('batches while ClickHouse has many parts', () => {
  let fixture: TimeseriesFixture;
  let calls: Callers;
  /** The table of the parts. */
  let stored: string;
  before(() => {
    ({ fixture, callers: calls } = tested);
    stored = fixture.operator.cluster === undefined ? 'snapshots' : localTableOf('snapshots');
  });

  const numbered = async (sql: string): Promise<number> => {
    const [first] = await rows(fixture.operator, { sql }, z.object({ n: z.coerce.number() }));
    return first?.n ?? 0;
  };
  const newParts = async (work: () => Promise<unknown>): Promise<number> => {
    const parts = `SELECT max(max_block_number) AS n FROM system.parts WHERE table = '${stored}' AND active`;
    const before_ = await numbered(parts);
    await work();
    return (await numbered(parts)) - before_;
  };

  it('are unavailable, and stored when they are sent again after the merges', async () => {
    await calls.store('PARTS', [{ us: atUs, price: '1' }]);
    await command(fixture.operator, { sql: `SYSTEM STOP MERGES ${stored}` });
    await command(fixture.operator, {
      sql: `ALTER TABLE ${stored} MODIFY SETTING parts_to_throw_insert = 1, parts_to_delay_insert = 1`,
    });
    const again = () => calls.store('PARTS', [{ us: atUs + 1, price: '2' }]);
    await assert.rejects(again(), (error) => {
      assert.ok(error instanceof DomainError);
      assert.equal(error.code, 'unavailable');
      return true;
    });
    await command(fixture.operator, {
      sql: `ALTER TABLE ${stored} RESET SETTING parts_to_throw_insert, parts_to_delay_insert`,
    });
    await command(fixture.operator, { sql: `SYSTEM START MERGES ${stored}` });
    await again();
    assert.equal(await numbered("SELECT count() AS n FROM snapshots WHERE ticker = 'PARTS'"), 2);
  });

  it('that are small and concurrent are stored as few parts, with each row', async () => {
    await command(fixture.operator, { sql: `SYSTEM STOP MERGES ${stored}` });
    const count = 80;
    const tickers = Array.from({ length: count }, (_, n) => `SMALL-${n}`);
    const made = await newParts(() =>
      Promise.all(tickers.map((ticker) => calls.store(ticker, [{ us: atUs, price: '3' }]))),
    );
    assert.equal(await numbered("SELECT count() AS n FROM snapshots WHERE ticker LIKE 'SMALL-%'"), count);
    assert.ok(made <= count / 4, `${made} parts for ${count} batches`);
    await command(fixture.operator, { sql: `SYSTEM START MERGES ${stored}` });
  });

  it('are refused alone if one of them has a bad value', async () => {
    const count = 40;
    const batches = Array.from({ length: count }, (_, n) =>
      calls.store(`MIXED-${n}`, [{ us: atUs, price: n % 10 === 5 ? 'no price' : '4' }]),
    );
    const refused = (await Promise.allSettled(batches)).flatMap((outcome, n) =>
      outcome.status === 'rejected' ? [n] : [],
    );
    assert.deepEqual(refused, [5, 15, 25, 35]);
    assert.equal(await numbered("SELECT count() AS n FROM snapshots WHERE ticker LIKE 'MIXED-%'"), count - 4);
  });
});

/** A row of full books up to `orderbook_no`, as an ingest from before 008_gaps.sql sends it. */
const older = ['T', 'S', '1771992900.000001', '\\N', '1', '0.4', '0.6', '61000', '1', '[(0.4,10)]', '[(0.4,5)]'];

describe('a batch of full books', () => {
  const store = (ticker: string, lines: readonly (readonly string[])[]) =>
    tested.callers.importer.call(timeseriesRpc.store, {
      input: { columns: 'l2', markets: [{ ticker, rows: lines.length, min_us: 1, max_us: 2 }] },
      context: { requestId: 'test' },
      body: Buffer.from(lines.map((line) => `${[ticker, ...line.slice(1)].join('\t')}\n`).join('')),
    });
  const stored = (ticker: string) =>
    rows(tested.fixture.operator, {
      sql: `SELECT toString(coin_price) AS price, coin_price_age_us AS age, length(orderbook_no) AS deep FROM snapshots
        WHERE ticker = {ticker:String}`,
      params: { ticker },
    });

  it('of an older ingest without price ages is stored without them', async () => {
    assert.deepEqual(await store('OLDER', [older]), { rows: 1 });
    assert.deepEqual(await stored('OLDER'), [{ price: '61000', age: null, deep: 1 }]);
  });

  it('of this release stores the price age', async () => {
    assert.deepEqual(await store('NOW', [[...older, '250000']]), { rows: 1 });
    assert.deepEqual(await stored('NOW'), [{ price: '61000', age: 250_000, deep: 1 }]);
  });

  it('that mixes two releases is refused as a whole', async () => {
    await assert.rejects(store('BOTH', [older, [...older, '250000']]), (error) => {
      assert.ok(error instanceof DomainError);
      assert.equal(error.code, 'invalid_input');
      return true;
    });
    assert.deepEqual(await stored('BOTH'), []);
  });
});
