import type { Transport } from '../http/transport.js';
import { nextOf, type Pages, pagesOf } from '../pages.js';
import type { AnswerOf, CallOptions, MarketQuality, PeriodQuality, QueryOf } from '../types.js';

export type Quality = AnswerOf<'getQuality'>;

type Params = Omit<QueryOf<'getQuality'>, 'by'>;

const pagesBy = <Item>(
  transport: Transport,
  { params, itemsOf }: { readonly params: QueryOf<'getQuality'>; readonly itemsOf: (answer: Quality) => Item[] },
  options?: CallOptions,
): Pages<Item, Quality> =>
  pagesOf<Item, Quality, string>(async (cursor = params.cursor ?? undefined) => {
    const request = { operation: 'getQuality', query: { ...params, cursor } } as const;
    const answer = await transport.json<Quality>(request, options, 'markets');
    return { answer, items: itemsOf(answer), next: nextOf(answer.has_more, answer.next_cursor) };
  });

export const qualityOf =
  (transport: Transport) =>
  (params: Params, options?: CallOptions): Pages<MarketQuality, Quality> =>
    pagesBy(transport, { params: { ...params, by: 'market' }, itemsOf: ({ markets }) => markets }, options);

export const qualityByPeriodOf =
  (transport: Transport) =>
  (params: Params & { readonly by: 'day' | 'hour' }, options?: CallOptions): Pages<PeriodQuality, Quality> =>
    pagesBy(transport, { params, itemsOf: ({ periods }) => periods }, options);
