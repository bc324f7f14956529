-- Times in which the recording of a market is complete. Times between open and close without a span are gaps. Integer
-- microseconds since 1970. A span is stored when it begins, grows and ends: of the rows of one span, the longest is
-- current, and of equally long ones the last stored. Read with FINAL.
CREATE TABLE IF NOT EXISTS recorded_spans
(
    ticker        String,
    layer         Enum8('top' = 1, 'l2' = 2),
    start_us      UInt64,
    end_us        UInt64,
    -- Observations at most this far apart follow each other.
    tolerance_us  UInt64,
    -- Why the recording is not complete after end_us. Null while it continues.
    end_reason    LowCardinality(Nullable(String))
)
ENGINE = ReplacingMergeTree(end_us)
ORDER BY (ticker, layer, start_us)
SETTINGS index_granularity = 1024;

-- The table `gaps` had the times between spans instead. A gap without an end ended with the next stored book.
INSERT INTO recorded_spans (ticker, layer, start_us, end_us, tolerance_us, end_reason)
SELECT book_ticker, 'l2', span.1, span.2, 0, span.3
FROM
(
    SELECT
        book_ticker,
        arrayPushFront(arrayMap(gap -> gap.2, gap_list), first_us) AS starts,
        arrayPushBack(arrayMap(gap -> gap.1, gap_list), last_us) AS ends,
        arrayPushBack(arrayMap(gap -> CAST(gap.3 AS Nullable(String)), gap_list), NULL) AS reasons,
        arrayJoin(arrayFilter(one -> one.1 > 0 AND one.2 >= one.1, arrayZip(starts, ends, reasons))) AS span
    FROM
    (
        SELECT ticker AS book_ticker, min(toUnixTimestamp64Micro(ts)) AS first_us, max(toUnixTimestamp64Micro(ts)) AS last_us
        FROM snapshots WHERE has_book GROUP BY ticker
    ) AS books
    LEFT JOIN
    (
        SELECT gap_ticker, arraySort(groupArray((gap_start, until_us, gap_reason))) AS gap_list
        FROM
        (
            SELECT gap_ticker, gap_start, any(gap_reason) AS gap_reason,
                ifNull(any(gap_end), minIf(later_us, later_us > gap_start)) AS until_us
            FROM
            (
                SELECT ticker AS gap_ticker, start_us AS gap_start, end_us AS gap_end, toString(reason) AS gap_reason
                FROM gaps FINAL
            ) AS found
            LEFT JOIN
            (
                SELECT ticker AS later_ticker, toUnixTimestamp64Micro(ts) AS later_us FROM snapshots
                WHERE has_book AND ticker IN (SELECT ticker FROM gaps FINAL WHERE end_us IS NULL)
            ) AS later ON later_ticker = gap_ticker
            GROUP BY gap_ticker, gap_start
        )
        GROUP BY gap_ticker
    ) AS known ON gap_ticker = book_ticker
);
