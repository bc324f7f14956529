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
  const items = async function* (): AsyncGenerator<Item, void, undefined> {
    for await (const page of read()) yield* page.items;
  };
  return {
    [Symbol.asyncIterator]: items,
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
