import type { CandlesDeps } from './candles/candles.query.js';
import type { EventSnapshotsDeps } from './event-grid/event-snapshots.query.js';
import type { BookDeps } from './moments/book.query.js';
import type { TradesDeps } from './trades/trades.query.js';

export const STORING = Symbol('storing');
export const SNAPSHOTS = Symbol('snapshots');
export const PREVIEWS = Symbol('previews');
export const READS = Symbol('reads');

export type QueryDeps = BookDeps & CandlesDeps & EventSnapshotsDeps & TradesDeps;
