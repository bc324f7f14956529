-- Markets are also listed by their last change, which is the sequence of their event.
ALTER TABLE markets ADD INDEX IF NOT EXISTS by_seq seq TYPE minmax;
ALTER TABLE markets MATERIALIZE INDEX by_seq;
