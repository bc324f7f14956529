import type {
  CatalogueFact,
  catalogRpc,
  coinMomentsRpc,
  coinPricesRpc,
  InputOf,
  OutputOf,
  RecordedSpan,
  StagedTable,
  StagingMissing,
} from '@almanac/contracts';
import type { MarketsOfIds } from './sources/known-outcomes.js';

export type RecordOutcome =
  { readonly outcome: 'created' | 'changed' | 'unchanged' } | { readonly outcome: 'refused'; readonly reason: string };

export interface BatchMarket {
  readonly ticker: string;
  readonly rows: number;
  readonly min_us: number;
  readonly max_us: number;
}

/** The market (an index of `markets`), the time and a digest of the values of each row, in the order of the rows. */
export interface RowKeys {
  readonly market: Uint16Array;
  readonly us: Float64Array;
  readonly values: Float64Array;
}

/**
 * Observations as TabSeparated, in the order of `observationColumns`, then `sizeFields` for `top_sizes` and `bookColumns` for
 * `l2`. Trades are in the order of `tradeColumns` and venue candles in that of `venueCandleColumns`. Their `us` in `keys` is a
 * digest of what identifies them. Prices of coins are in the order of `coinPriceColumns`, and their markets are the coins.
 */
export interface ObservationBatch {
  readonly columns: 'top' | 'top_sizes' | 'l2' | 'trades' | 'candles' | 'coins';
  /** Of staged rows: the body is a block of ClickHouse's format Native, with the same columns by name. */
  readonly format?: 'native';
  readonly rows: number;
  readonly markets: readonly BatchMarket[];
  readonly body: Uint8Array;
  /** How the body is compressed. */
  readonly coding?: 'zstd';
  readonly keys: RowKeys;
}

export type CoinPart = Omit<InputOf<typeof coinPricesRpc.joinCoinPrices>, 'after'> & { readonly after?: string };

/** The prices of coins in the archive, and its markets that lack them. */
export interface CoinArchive {
  known(): Promise<OutputOf<typeof coinPricesRpc.coins>['coins']>;
  join(part: CoinPart): Promise<OutputOf<typeof coinPricesRpc.joinCoinPrices>>;
  moments(part: CoinPart): Promise<OutputOf<typeof coinMomentsRpc.coinMoments>>;
}

/** What a staging table is for. Those of observations take quotes, and of a newer archive also books. */
export type StagedKind = StagedTable | 'books';

/** Rows that readers see all at once, or never. */
export interface Staging {
  /** Whether bodies may be compressed. */
  readonly hasZstd?: boolean;
  store(batch: ObservationBatch): Promise<void>;
  /** Resolves when readers see every row. */
  publish(): Promise<void>;
}

/**
 * The target of an import. Every call can be repeated with the same argument without further effect. It resolves when
 * the data is stored and rejects with an `ArchiveError` if the archive did not store it.
 */
export interface Archive {
  /** Records at most 500 facts in order, with one outcome for each. */
  recordCatalogue(facts: readonly CatalogueFact[]): Promise<readonly RecordOutcome[]>;
  storeObservations(batch: ObservationBatch): Promise<void>;
  /** Stores at most 5,000 spans, after their rows. Of two with one ticker, layer and start, the longer wins. */
  storeSpans(spans: readonly RecordedSpan[]): Promise<void>;
  /** A new staging table, or why the archive has none. Absent: it has none. */
  readonly openStaging?: (kind: StagedKind) => Promise<Staging | StagingMissing>;
  /** Resolves when queries can find everything that was recorded. */
  settled(): Promise<void>;
  /** The markets of at most 1,000 conditions and tokens. Absent: it knows none. */
  readonly marketsOf?: MarketsOfIds;
  /** What markets lack and their event or series has. Absent: nothing. */
  readonly valuesOfParents?: (
    named: InputOf<typeof catalogRpc.valuesOfParents>,
  ) => Promise<OutputOf<typeof catalogRpc.valuesOfParents>>;
  /** Absent: it has no prices of coins. */
  readonly coins?: CoinArchive;
}

/** Spans buffered or sent at once. */
export const spansMax = 1_000;

export const storeAllSpans = async (archive: Archive, spans: readonly RecordedSpan[]): Promise<void> => {
  for (let from = 0; from < spans.length; from += spansMax)
    await archive.storeSpans(spans.slice(from, from + spansMax));
};

/** The archive of `--dry-run`. It stores nothing, so outcomes are unknown. */
export const dryRunArchive: Archive = {
  recordCatalogue: (facts) => Promise.resolve(facts.map(() => ({ outcome: 'unchanged' as const }))),
  storeObservations: () => Promise.resolve(),
  storeSpans: () => Promise.resolve(),
  settled: () => Promise.resolve(),
};

/** Its staging tables, so that a dry run reads large files by column, too. */
export const dryRunStaging: NonNullable<Archive['openStaging']> = () =>
  Promise.resolve({ store: () => Promise.resolve(), publish: () => Promise.resolve() });
