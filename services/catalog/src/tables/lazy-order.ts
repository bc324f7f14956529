/** Items in order, of which only those that are read are sorted: the first of many thousands cost no sort of all. */
export interface LazyOrder<T> {
  /** Undefined behind the last one. */
  at(index: number): T | undefined;
}

export const lazyOrder = <T>(items: Iterable<T>, compare: (a: T, b: T) => number): LazyOrder<T> => {
  const heap = [...items];
  const sorted: T[] = [];
  for (let index = Math.floor(heap.length / 2) - 1; index >= 0; index -= 1) sink(heap, index, compare);
  return {
    at: (index) => {
      while (sorted.length <= index && heap.length > 0) sorted.push(...taken(heap, compare));
      return sorted[index];
    },
  };
};

/** Removes the first item. */
const taken = <T>(heap: T[], compare: (a: T, b: T) => number): T[] => {
  const [first, last] = [heap.slice(0, 1), heap.pop()];
  if (heap.length > 0 && last !== undefined) {
    heap[0] = last;
    sink(heap, 0, compare);
  }
  return first;
};

/** Moves an item of a binary heap behind those that come before it. */
const sink = <T>(heap: T[], from: number, compare: (a: T, b: T) => number): void => {
  const item = heap[from];
  if (item === undefined) return;
  let index = from;
  for (;;) {
    const [left, right] = [2 * index + 1, 2 * index + 2];
    const [leftItem, rightItem] = [heap[left], heap[right]];
    if (leftItem === undefined) break;
    const isRight = rightItem !== undefined && compare(rightItem, leftItem) < 0;
    const next = isRight ? rightItem : leftItem;
    if (compare(item, next) <= 0) break;
    heap[index] = next;
    index = isRight ? right : left;
  }
  heap[index] = item;
};
