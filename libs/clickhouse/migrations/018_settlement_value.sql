-- What a contract of the yes side paid at the settlement, as a fraction of 1. Null if no source states it.
ALTER TABLE markets ADD COLUMN IF NOT EXISTS settlement_value Nullable(Decimal(18, 8));
