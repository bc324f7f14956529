import { copyText } from '../values/copy-text.js';

/** How the feed and the chain of a venue name a market and its two outcomes. Null: unknown. */
export interface OutcomeIds {
  readonly ticker: string;
  readonly condition: string | null;
  readonly yes: string | null;
  readonly no: string | null;
}

/** The markets of the archive that have one of these ids. */
export type MarketsOfIds = (ids: readonly string[]) => Promise<readonly OutcomeIds[]>;

/** The markets of conditions and tokens, from the files of an import and from the archive. */
export interface KnownOutcomes {
  /** A source of this import names them. */
  see(markets: readonly OutcomeIds[]): void;
  get(id: string): OutcomeIds | undefined;
  /** Asks the archive for ids that no source of this import has named, each once. Then `get` answers at once. */
  find(ids: Iterable<string>): Promise<void>;
  /** Files wait for these ids. */
  watch(ids: Iterable<string>): void;
  /** Whether a source of this import named an id after it was watched. */
  hasArrived(id: string): boolean;
}

const idsMax = 600_000;
/** Ids in one lookup. */
const lookupMax = 500;

/** The memory is bounded: the oldest ids are dropped, and batch for again. */
export const knownOutcomes = (ask?: MarketsOfIds): KnownOutcomes => {
  const markets = new Map<string, OutcomeIds>();
  /** By id: whether it has arrived. */
  const watched = new Map<string, boolean>();
  const unknown = new Set<string>();

  const put = (given: OutcomeIds): readonly string[] => {
    const of = (name: 'condition' | 'yes' | 'no'): string | null =>
      given[name] === null ? null : copyText(given[name]);
    const market = { ticker: copyText(given.ticker), condition: of('condition'), yes: of('yes'), no: of('no') };
    const ids = [market.condition, market.yes, market.no].filter((id) => id !== null);
    for (const id of ids) {
      const known = markets.get(id);
      // A source that names the condition alone takes nothing away.
      markets.set(id, known?.ticker === market.ticker ? merged(known, market) : market);
      unknown.delete(id);
      dropOldest(markets, idsMax);
    }
    return ids;
  };
  return {
    see: (given) => {
      for (const id of given.flatMap(put)) if (watched.has(id)) watched.set(id, true);
    },
    get: (id) => markets.get(id),
    watch: (ids) => {
      for (const id of ids) if (!watched.has(id)) watched.set(id, false);
    },
    hasArrived: (id) => watched.get(id) === true,
    find: async (ids) => {
      if (ask === undefined) return;
      const missing = Array.from(new Set(ids)).filter((id) => id !== '' && !markets.has(id) && !unknown.has(id));
      for (let from = 0; from < missing.length; from += lookupMax) {
        const batch = missing.slice(from, from + lookupMax);
        for (const id of batch) unknown.add(copyText(id));
        (await ask(batch)).forEach(put);
      }
      while (unknown.size > idsMax) dropOldest(unknown, idsMax);
    },
  };
};

const merged = (known: OutcomeIds, { ticker, condition, yes, no }: OutcomeIds): OutcomeIds => ({
  ticker,
  condition: condition ?? known.condition,
  yes: yes ?? known.yes,
  no: no ?? known.no,
});

const dropOldest = (entries: Map<string, unknown> | Set<string>, max: number): void => {
  if (entries.size <= max) return;
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
};
