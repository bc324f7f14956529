import { AlmanacError, ConnectionError } from './errors.js';

/** One page of a list, and where the next one starts. */
export interface Page<Item, Answer, Position> {
  readonly answer: Answer;
  readonly items: readonly Item[];
  /** Undefined after the last page. */
  readonly next: Position | undefined;
}

export type ReadPage<Item, Answer, Position> = (at: Position | undefined) => Promise<Page<Item, Answer, Position>>;

const itemsMaxDefault = 100_000;
/** A list of this many pages does not end. */
const pagesMax = 1_000_000;

/** A list that is read while it is iterated: `for await (const market of client.markets.list())`. */
export interface Pages<Item, Answer> extends AsyncIterable<Item> {
  /** The answers of the server, page by page. */
  pages(): AsyncIterable<Answer>;
  /** The first answer. */
  firstPage(): Promise<Answer>;
  /** All items. More than `max` (100,000) are an error, because a list must not be cut silently. */
  toArray(options?: { readonly max?: number }): Promise<Item[]>;
}

export const pagesOf = <Item, Answer, Position>(readPage: ReadPage<Item, Answer, Position>): Pages<Item, Answer> => {
  const read = async function* (): AsyncGenerator<Page<Item, Answer, Position>, void, undefined> {
    let at: Position | undefined;
    for (let pages = 0; pages < pagesMax; pages += 1) {
      const page = await readPage(at);
      yield page;
      if (page.next === undefined) return;
      if (JSON.stringify(page.next) === JSON.stringify(at)) throw notAdvancing();
      at = page.next;
    }
    throw notAdvancing();
  };
  return {
    [Symbol.asyncIterator]: () => itemsOf(read()),
    pages: async function* () {
      for await (const { answer } of read()) yield answer;
    },
    firstPage: async () => (await readPage(undefined)).answer,
    toArray: async ({ max = itemsMaxDefault } = {}) => {
      const all: Item[] = [];
      for await (const page of read()) {
        for (const item of page.items) all.push(item);
        if (all.length > max) throw tooMany(`The list has more than ${max} items.`);
      }
      return all;
    },
  };
};

/**
 * The items of pages one by one. An async generator would take several turns of the microtask queue for each item, which is
 * more time than parsing its page.
 */
const itemsOf = <Item>(
  pages: AsyncGenerator<{ readonly items: readonly Item[] }, void, undefined>,
): AsyncIterator<Item, void, undefined> => {
  const none: readonly Item[] = [];
  let items = none[Symbol.iterator]();
  let last: Promise<unknown> | undefined;
  /** One after the other, so that calls which overlap get different items in their order. */
  const afterOthers = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last === undefined ? work() : last.then(work, work);
    const end = (): void => {
      if (last === result) last = undefined;
    };
    last = result;
    result.then(end, end);
    return result;
  };
  const nextItem = async (): Promise<IteratorResult<Item, void>> => {
    for (;;) {
      const item = items.next();
      if (item.done !== true) return item;
      const page = await pages.next();
      if (page.done === true) return page;
      items = page.value.items[Symbol.iterator]();
    }
  };
  return {
    next: () => {
      const item = last === undefined ? items.next() : undefined;
      return item === undefined || item.done === true ? afterOthers(nextItem) : Promise.resolve(item);
    },
    return: () =>
      afterOthers(async () => {
        items = none[Symbol.iterator]();
        await pages.return();
        return { done: true, value: undefined };
      }),
  };
};

export const tooMany = (detail: string): AlmanacError =>
  new AlmanacError({
    code: 'result_too_large',
    detail,
    remedy: 'Narrow the filters, for example by time, iterate the list instead, or create an export.',
  });

const notAdvancing = (): ConnectionError =>
  new ConnectionError({
    code: 'not_almanac',
    detail: 'The server answered with the same page again.',
    remedy: 'Check that no cache between this machine and the server ignores the query of an address.',
  });

/** The position of a list that says how to go on. A list that has more but no way to it must not end silently. */
export const nextOf = <Position>(hasMore: boolean, next: Position | null | undefined): Position | undefined => {
  if (!hasMore) return undefined;
  if (next === null || next === undefined) throw tooMany('The server lists no items beyond this page.');
  return next;
};
