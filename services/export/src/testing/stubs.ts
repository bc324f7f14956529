import { ensureStream, type Running, subjects } from '@almanac/bus';
import { type Handlers, serveContracts } from '@almanac/bus/server';
import { catalogRpc, commerceRpc, type DomainError, type Grant, type GrantQuote, notFound } from '@almanac/contracts';
import { type EventStore, jetStreamStore, recordDataChange } from '@almanac/event-store';
import type { z } from 'zod';
import { type ExportFixture, log } from './fixture.js';

export type ReserveInput = z.output<typeof commerceRpc.reserve.input>;

type Target = z.input<typeof catalogRpc.exportTarget.output>;

/** Stubs of the neighbouring services on the bus. Tests set their data. */
export interface ServiceStubs {
  readonly targets: Map<string, Target>;
  readonly claims: ReserveInput[];
  /** When set, the next reservations fail with it. */
  refusal: DomainError | undefined;
  /** When set, makes the reservations. */
  reserve: ((input: ReserveInput) => Promise<{ grant: Grant }>) | undefined;
  /** The grant that a quote returns. */
  quote: GrantQuote;
  /** Stores data versions. */
  readonly store: EventStore;
  changed(ticker: string): Promise<void>;
  stop(): Promise<void>;
}

export const startServiceStubs = async (fixture: ExportFixture): Promise<ServiceStubs> => {
  const [catalog, commerce] = await Promise.all([fixture.busOf('catalog'), fixture.busOf('commerce')]);
  await ensureStream(catalog, 'EVT_CATALOG');
  await ensureStream(catalog, 'EVT_ARCHIVE');
  const store = jetStreamStore(catalog);
  const stubs: ServiceStubs = {
    targets: new Map(),
    claims: [],
    refusal: undefined,
    reserve: undefined,
    quote: { grant: 'plan', cost: { amount: 0, currency: 'USD' }, refusal: null, remarks: [], parts: [] },
    store,
    changed: async (ticker) => {
      const change = { ticker, cause: 'observations', rows: 1, min_us: 1, max_us: 1 } as const;
      await recordDataChange(store, subjects.archive(ticker), change);
    },
    stop: async () => {
      for (const running of serving) await running.stop();
      await Promise.all([catalog.close(), commerce.close()]);
    },
  };

  const { exportTarget } = catalogRpc;
  const catalogue: Handlers<{ exportTarget: typeof exportTarget }> = {
    exportTarget: ({ event, ticker, events, tickers, series, day, from, to, as_of }) => {
      const list = (events ?? tickers)?.join();
      const target = stubs.targets.get(event ?? ticker ?? list ?? `${series} ${day ?? `${from} ${to}`}`);
      if (target === undefined) throw notFound('event_not_found', event ?? '');
      return as_of === undefined ? target : { ...target, as_of };
    },
  };
  const { reserve, quote } = commerceRpc;
  const grants: Handlers<{ reserve: typeof reserve; quote: typeof quote }> = {
    reserve: (input) => {
      if (stubs.refusal !== undefined) throw stubs.refusal;
      stubs.claims.push(input);
      return stubs.reserve === undefined ? { grant: 'plan' } : stubs.reserve(input);
    },
    quote: () => stubs.quote,
  };
  const serving: Running[] = [
    await serveContracts(catalog, { exportTarget }, catalogue, log),
    await serveContracts(commerce, { reserve, quote }, grants, log),
  ];
  return stubs;
};
