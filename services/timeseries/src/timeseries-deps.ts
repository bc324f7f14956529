import type { CandlesDeps } from './candles/candles.query.js';
import type { EventSnapshotsDeps } from './event-grid/event-snapshots.query.js';
import type { BookDeps } from './moments/book.query.js';
import type { CoinDeps } from './coins/join-coin-prices.command.js';
import type { StagingTables } from './observations/staging-tables.js';
import type { StoreDeps } from './observations/store-observations.command.js';
import type { Previews } from './preview/preview.query.js';
import type { SnapshotsDeps } from './snapshots/snapshots.query.js';
import type { TradesDeps } from './trades/trades.query.js';

/** What the handlers of this service work with. */
export interface TimeseriesDeps {
  readonly storing: StoreDeps & CoinDeps & { readonly staging: StagingTables };
  readonly snapshots: SnapshotsDeps;
  readonly reads: BookDeps & CandlesDeps & EventSnapshotsDeps & TradesDeps;
  readonly previews: Previews;
}
