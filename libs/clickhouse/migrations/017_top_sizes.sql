-- The sizes at the best bid and ask, in contracts. A row with a book has those of its first levels, computed when it is stored.
-- Parts from before this migration compute them when they are read. A row without a book has what its source stated, otherwise
-- null. The ask of YES is the best bid of NO from its other side, so it has the same size.
ALTER TABLE snapshots ADD COLUMN IF NOT EXISTS yes_best_bid_size Nullable(Decimal(18, 6))
  DEFAULT if(notEmpty(orderbook_yes), orderbook_yes[1].2, NULL) CODEC(ZSTD(1));

ALTER TABLE snapshots ADD COLUMN IF NOT EXISTS yes_best_ask_size Nullable(Decimal(18, 6))
  DEFAULT if(notEmpty(orderbook_no), orderbook_no[1].2, NULL) CODEC(ZSTD(1));
