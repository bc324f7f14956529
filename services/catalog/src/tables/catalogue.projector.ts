import { type Bus, consumeBatches, durables, type EventMessage, type Running, subjects } from '@almanac/bus';
import type { ClickHouse } from '@almanac/clickhouse';
import { type EventStore, recordDataChange } from '@almanac/event-store';
import { forEachConcurrent } from '@almanac/runtime';
import { inGroups, storedEventsOf, storeEventFigures } from './event-figures.js';
import { insertRows } from './insert-rows.js';
import { storeWords } from './market-words.js';
import { type AnyState, anyState, rowsOf, type TableRows } from './rows.js';

export interface CatalogueProjectorDeps {
  readonly bus: Bus;
  readonly clickhouse: ClickHouse;
  readonly store: EventStore;
  readonly log: { error(facts: object, message: string): void };
}

const batchMax = 1_000;
/** After a crash, messages in progress are redelivered after this time. A live process extends it. */
const ackWaitMs = 3_000;
const changesAtOnce = 64;

/**
 * Maintains the catalogue's tables. For each batch it inserts the latest state of each entity, the figures of the
 * events of its markets, and a new data version of each market, whose row can now be queried. A redelivered batch
 * changes nothing, or after two minutes raises the data version, which only makes clients read again.
 */
export const projectCatalogue = (deps: CatalogueProjectorDeps): Promise<Running> =>
  consumeBatches<AnyState>(deps.bus, {
    stream: 'EVT_CATALOG',
    durable: durables.catalogReadModel,
    state: anyState,
    batchMax,
    ackWaitMs,
    onFailure: (error, { subject, seq }, next) =>
      deps.log.error({ err: error, subject, seq, next }, 'the catalogue tables could not be updated'),
    handle: (messages) => handleBatch(deps, messages),
  });

const handleBatch = async (
  deps: CatalogueProjectorDeps,
  messages: readonly EventMessage<AnyState>[],
): Promise<void> => {
  const found = rowsOf(messages);
  await Promise.all([
    insertRows(deps.clickhouse, found.series, { of: 'series' }),
    insertRows(deps.clickhouse, found.events, { of: 'events' }),
    storeWords(deps.clickhouse, found.markets),
  ]);
  for (const group of inGroups(found.markets, ({ ticker }) => ticker)) await storeMarkets(deps.clickhouse, group);
  await forEachConcurrent(found.markets, changesAtOnce, async ({ ticker, seq }) => {
    const change = { ticker, cause: 'catalogue', rows: 0, min_us: null, max_us: null } as const;
    await recordDataChange(deps.store, subjects.archive(ticker), change, { id: `catalogue-${seq}` });
  });
};

/**
 * Stores markets, then the figures of every event that they are or were in. The figures of an event that loses a
 * market are stored before the market's new row. After that row, nothing would record the former event if the process
 * ended.
 */
const storeMarkets = async (clickhouse: ClickHouse, markets: TableRows['markets']): Promise<void> => {
  const eventOf = new Map(markets.map(({ ticker, event_ticker }) => [ticker, event_ticker]));
  const stored = await storedEventsOf(clickhouse, [...eventOf.keys()]);
  const eventsLeft = stored.filter(({ ticker, event_ticker }) => eventOf.get(ticker) !== event_ticker);
  const without = [...new Set(eventsLeft.map(({ ticker }) => ticker))];
  const leftEvents = new Set(eventsLeft.map(({ event_ticker }) => event_ticker));
  await storeEventFigures(clickhouse, { events: leftEvents, without });
  await insertRows(clickhouse, markets, { of: 'markets' });
  const named = new Set([...eventOf.values(), ...leftEvents]);
  named.delete('');
  await storeEventFigures(clickhouse, { events: named });
};
