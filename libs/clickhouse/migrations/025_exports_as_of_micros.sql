-- The time as of which an export is has fractions of seconds, to the microsecond. Whole seconds stay what they are.
ALTER TABLE exports MODIFY COLUMN as_of Nullable(Decimal(18, 6));
