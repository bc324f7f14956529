import type { ClickHouse } from '@almanac/clickhouse';
import type { z } from 'zod';
import { candidates, markets, type MarketSelection, type RankedRow } from '../tables/candidates.js';
import { allOf, type Condition } from '../tables/filters.js';
import { byPosition, type Position } from '../tables/position.js';
import type { QueryContext } from '../tables/read-rows.js';
import { marketsOfEvents, type ParentMarkets } from './parent-markets.js';

interface Selection<Row extends z.ZodType> extends MarketSelection<Row> {
  /** How many matches are needed, unless a read says another number. */
  readonly count: number;
  readonly after?: Position | null;
}

export type MarketReader<Row extends z.ZodType> = ReturnType<typeof marketReader<Row>>;

/** Reads the markets of one request. All of them match its condition. */
export const marketReader = <Row extends z.ZodType>(
  clickhouse: ClickHouse,
  { condition: common, count, after: start = null, ...shape }: Selection<Row>,
  queryContext: QueryContext,
) => {
  const all = (condition: Condition, limit = count, after = start) =>
    markets(clickhouse, { ...shape, condition: allOf(condition, common) }, { limit, queryContext, after });

  /** The first `limit` matches of each condition, from one statement where that suffices. */
  const each = async (conditions: readonly Condition[], limit = count) => {
    if (conditions.length === 0) return [];
    const span = { countHint: limit, after: start };
    const both = conditions.map((condition) => allOf(condition, common));
    const found = await candidates(clickhouse, { ...shape, conditions: both, span }, queryContext);
    return found.map(({ matches, edge }, index) => ({
      answers: async () => {
        const condition = conditions[index];
        if (edge === null || matches.length >= limit || condition === undefined) return matches;
        return [...matches, ...(await all(condition, limit - matches.length, edge))];
      },
    }));
  };

  /** Markets that match together with their events and series, in order: the first `limit`, or more. */
  const ofParents = async (parents: ParentMarkets, limit: number): Promise<RankedRow<z.output<Row>>[]> => {
    const span = { limit, queryContext, after: start };
    const [found, ofEvents] = await Promise.all([
      each(parents.others, limit),
      marketsOfEvents(clickhouse, { ...shape, parents, condition: common }, span),
    ]);
    const answers = [...(await Promise.all(found.map((one) => one.answers()))).flat(), ...ofEvents];
    return answers.toSorted((a, b) => byPosition(a.position, b.position));
  };

  return { all, each, ofParents };
};
