-- The venue's name of the category, so that a market whose own source states no category gets both from its event.
ALTER TABLE events ADD COLUMN IF NOT EXISTS category_label LowCardinality(String) DEFAULT '' AFTER category;
