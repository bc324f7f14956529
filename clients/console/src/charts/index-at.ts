/** The last item at or before a time, or -1. By halves: many rows look for it at each movement of the pointer. */
export const indexBy = <Item>(items: readonly Item[], tsOf: (item: Item) => number, at: number): number => {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    // The cursor of the keyboard is exactly at a point.
    if (item !== undefined && tsOf(item) <= at + 1e-6) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

const same = (ts: number): number => ts;

/** The last time at or before a time, or -1. */
export const indexAt = (ts: readonly number[], at: number): number => indexBy(ts, same, at);
