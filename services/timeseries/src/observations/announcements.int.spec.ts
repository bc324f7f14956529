import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AdminBus, connectBus, ensureStream, subjects } from '@almanac/bus';
import { type ClickHouse, connectClickHouse, rows } from '@almanac/clickhouse';
import { archiveState } from '@almanac/contracts';
import { type EventStore, jetStreamStore } from '@almanac/event-store';
import { createLogger } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import { startFixture, type TimeseriesFixture } from '../testing/fixture.js';
import { announceOpenBatches } from './announce-open-batches.js';
import { announcements } from './announcements.js';
import { insertQueue } from './insert-queue.js';
import { recentStates } from './recent-states.js';
import { storeObservations } from './store-observations.js';

const log = createLogger('test', 'silent');
const never = (): Promise<never> => new Promise(() => undefined);

describe('a stored batch', () => {
  let fixture: TimeseriesFixture;
  let bus: AdminBus;
  let clickhouse: ClickHouse;
  const stops: (() => Promise<void>)[] = [];
  before(async () => {
    fixture = await startFixture();
    const { NATS_URL: url, NATS_PASSWORD: password } = fixture.config;
    bus = await connectBus({ url, user: 'timeseries', ...(password === undefined ? {} : { password }) });
    await ensureStream(bus, 'EVT_ARCHIVE');
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
    await fixture.stop();
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
        remainingMs: () => 60_000,
      },
    );
  const versionOf = async (ticker: string): Promise<number> =>
    (await jetStreamStore(bus).load(subjects.archive(ticker), archiveState))?.state.version ?? 0;
  const stored = async (ticker: string): Promise<number> => {
    const sql = 'SELECT count() AS n FROM snapshots WHERE ticker = {ticker:String}';
    const [first] = await rows(fixture.operator, { sql, params: { ticker } }, z.object({ n: z.coerce.number() }));
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
