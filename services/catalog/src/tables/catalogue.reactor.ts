import { type Bus, consumeBatches, durables, type EventMessage, type Running, subjects } from '@almanac/bus';
import { type ClickHouse, insertBytes } from '@almanac/clickhouse';
import { eventState, type MarketState, marketState, seriesState } from '@almanac/contracts';
import { type EventStore, recordDataChange } from '@almanac/event-store';
import { z } from 'zod';
import { atOnce } from '../record/at-once.js';
import { columns, eventRow, marketRow, seriesRow } from './rows.js';

/** No two fit one state: each is told by its id, and a market, which also names its event, is tried first. */
const anyState = z.union([marketState, seriesState, eventState]);
type AnyState = z.output<typeof anyState>;

export interface CatalogueTablesParts {
  readonly bus: Bus;
  readonly clickhouse: ClickHouse;
  readonly store: EventStore;
  readonly log: { error(facts: object, message: string): void };
}

const batchMax = 1_000;
/** What was under way to a process that ended comes again after this; what is in hand is held on to. */
const ackWaitMs = 3_000;
const changesAtOnce = 64;

/**
 * Keeps the catalogue's tables: what the stream says of each thing last, inserted in batches, and then a new data
 * version of each market, since its entry can be queried from then on.
 *
 * A batch that comes again inserts equal rows, of which the table keeps one, and appends equal events, of which the
 * stream keeps one while it remembers ids (two minutes); later it costs a version more, which only makes readers ask
 * again.
 */
export const keepCatalogueTables = (parts: CatalogueTablesParts): Promise<Running> =>
  consumeBatches<AnyState>(parts.bus, {
    stream: 'EVT_CATALOG',
    durable: durables.catalogReadModel,
    state: anyState,
    batchMax,
    ackWaitMs,
    onFailure: (error, { subject, seq }, next) =>
      parts.log.error({ err: error, subject, seq, next }, 'the catalogue could not be brought up to date'),
    handle: (messages) => handleBatch(parts, messages),
  });

const handleBatch = async (parts: CatalogueTablesParts, messages: readonly EventMessage<AnyState>[]): Promise<void> => {
  const series: object[] = [];
  const events: object[] = [];
  const markets: { state: MarketState; seq: number }[] = [];
  // What comes again after a crash may stand behind newer ones.
  const inOrder = messages.toSorted((a, b) => a.seq - b.seq);
  const last = new Map(inOrder.map((message) => [message.subject, message]));
  for (const { seq, event } of last.values()) {
    const { state } = event;
    if ('ticker' in state) markets.push({ state, seq });
    else if ('id' in state) series.push(seriesRow(state, seq));
    else events.push(eventRow(state, seq));
  }
  const marketRows = markets.map(({ state, seq }) => marketRow(state, seq));
  await Promise.all([
    insert(parts.clickhouse, 'series', series),
    insert(parts.clickhouse, 'events', events),
    insert(parts.clickhouse, 'markets', marketRows),
  ]);
  await atOnce(markets, changesAtOnce, async ({ state: { ticker }, seq }) => {
    const change = { ticker, cause: 'catalogue', rows: 0, min_us: null, max_us: null } as const;
    await recordDataChange(parts.store, subjects.archive(ticker), change, { id: `catalogue-${seq}` });
  });
};

const insert = async (clickhouse: ClickHouse, table: keyof typeof columns, rows: readonly object[]): Promise<void> => {
  if (rows.length === 0) return;
  const body = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
  await insertBytes(clickhouse, { table, columns: columns[table], format: 'JSONEachRow', body });
};
