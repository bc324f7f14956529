/** The window of a read. Rows are at most one for each `stepUs`. */
export interface RowTimes {
  readonly endUs: number;
  /** Absent for every row. */
  readonly stepUs?: number | undefined;
}

export interface PartTimes {
  readonly start_us: number;
  readonly end_us: number;
}

/** What was sent: how many rows, and the time of the last one. */
export interface SentRows {
  readonly rows: number;
  readonly lastUs: number;
}

/** Times the length that the rows before needed. A part without rows, in a gap, costs another query. */
const reachMin = 2;
const growth = 4;

/**
 * The times of short parts. ClickHouse reads the first block of each part of the table within the window, so a query for 6,000 rows
 * until the end of a long window reads 75,000. The rows before tell how long a window is enough.
 */
export const partTimes = ({ endUs, stepUs = 1 }: RowTimes) => {
  let reach = reachMin;
  let rowUs: number | undefined;
  let before: SentRows | undefined;
  let fromUs = 0;
  let untilUs = endUs;
  return {
    next: (sent: SentRows, limit: number): PartTimes => {
      if (before !== undefined && sent.rows > before.rows) {
        rowUs = (sent.lastUs - before.lastUs) / (sent.rows - before.rows);
        reach = reachMin;
      }
      before = sent;
      const start_us = Math.max(fromUs, sent.lastUs + 1);
      const wantedUs = rowUs === undefined ? Infinity : start_us + rowUs * limit * reach;
      // A step that was cut would have two last rows.
      untilUs = Math.min(endUs, Math.ceil(wantedUs / stepUs) * stepUs);
      return { start_us, end_us: untilUs };
    },
    /** After all rows of the last times were sent. Returns whether they are the last of the window. */
    ended: (isFull: boolean): boolean => {
      if (isFull) return false;
      reach *= growth;
      fromUs = untilUs;
      return untilUs >= endUs;
    },
  };
};
