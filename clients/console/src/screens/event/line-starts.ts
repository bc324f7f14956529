/** The cursor of a page. Undefined: the page begins with the first market. */
export type Start = string | undefined;

/** The pages of the ladder that were read, and where each begins. */
export interface LadderPages {
  readonly pages: readonly { readonly length: number }[];
  readonly starts: readonly Start[];
}

/**
 * Where the pages of the prices begin, as far as that is known. A page of prices has fewer markets than one of the ladder, and only
 * the page before it says where it begins. As a cursor of the ladder is also one of the prices, each page of the ladder begins a
 * chain of pages of prices, and the chains can be read at the same time.
 */
export const startsOf = (
  { pages, starts }: LadderPages,
  perPage: number,
  nextOf: (start: Start) => Start,
): readonly Start[] =>
  starts.flatMap((start, at) => {
    const chain = [start];
    const most = Math.ceil((pages[at]?.length ?? 0) / perPage);
    for (let next = nextOf(start); next !== undefined && chain.length < most; next = nextOf(next)) chain.push(next);
    return chain;
  });
