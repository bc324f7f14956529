/** Something with a time. Within one microsecond the lower `order` comes first. */
export interface Timed {
  readonly us: number;
  readonly order: number;
}

interface Cursor<T> {
  readonly blocks: AsyncIterator<readonly T[]>;
  block: readonly T[];
  at: number;
}

/** Merges sources that are each in time order, with one block of each in memory. */
export async function* merged<T extends Timed>(
  sources: readonly AsyncIterable<readonly T[]>[],
): AsyncGenerator<readonly T[], void, undefined> {
  const cursors: Cursor<T>[] = [];
  for (const source of sources) {
    const cursor = { blocks: source[Symbol.asyncIterator](), block: [], at: 0 };
    if (await refilled(cursor)) cursors.push(cursor);
  }
  while (cursors.length > 0) {
    const taken: T[] = [];
    const empty = takeUntilEmpty(cursors, taken);
    yield taken;
    if (!(await refilled(empty))) cursors.splice(cursors.indexOf(empty), 1);
  }
}

/** Takes the earliest item until a block is empty, and returns its cursor. */
const takeUntilEmpty = <T extends Timed>(cursors: readonly Cursor<T>[], taken: T[]): Cursor<T> => {
  for (;;) {
    let first: Cursor<T> | null = null;
    let item: T | null = null;
    for (const cursor of cursors) {
      const next = cursor.block[cursor.at];
      if (next === undefined) return cursor;
      if (item !== null && (next.us > item.us || (next.us === item.us && next.order >= item.order))) continue;
      first = cursor;
      item = next;
    }
    if (first === null || item === null) throw new Error('merging needs a source');
    taken.push(item);
    first.at += 1;
  }
};

const refilled = async <T>(cursor: Cursor<T>): Promise<boolean> => {
  for (;;) {
    const next = await cursor.blocks.next();
    if (next.done === true) return false;
    cursor.block = next.value;
    cursor.at = 0;
    if (next.value.length > 0) return true;
  }
};
