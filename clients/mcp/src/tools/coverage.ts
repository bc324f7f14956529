import { counted, type MarketQuality } from '@almanac/client';
import { z } from 'zod';
import { datedBy, defineTool, item, limitOf, list, partial, partOf, ticker, type ToolContext } from '../tool.js';
import { ToolError } from '../tool-errors.js';

const id = z.string().max(200).optional();
const day = z.string().max(10).optional();

const input = z.strictObject({
  ticker: ticker.optional(),
  series: id,
  event: id,
  category: id,
  venue: id,
  from: day,
  to: day,
  by: z.enum(['day', 'hour']).optional(),
  has_gaps: z.boolean().optional(),
  limit: limitOf(100, 20),
  cursor: z.string().max(1_000).optional(),
});
type Input = z.output<typeof input>;

export const coverage = defineTool({
  name: 'coverage',
  title: 'Coverage and gaps',
  description:
    'Gaps of a market. Or of one series, event, category or venue: its markets in the UTC days from, to (default: yesterday), worst first.',
  input,
  output: z.object({ ...partial, coverage: item, items: list }),
  run: (given, context) => {
    const { ticker: market, series, event, category, venue } = given;
    const targets = [market, series, event, category, venue].filter((name) => name !== undefined);
    if (targets.length !== 1) throw oneTarget();
    return market === undefined ? ofTarget(given, context) : ofMarket({ ...given, ticker: market }, context);
  },
});

const oneTarget = (): ToolError =>
  new ToolError({
    code: 'invalid_arguments',
    detail: 'Exactly one target is needed.',
    remedy: 'Give one of ticker, series, event, category and venue.',
  });

const ofMarket = async (given: Input & { readonly ticker: string }, context: ToolContext) => {
  const answer = await context.almanac.markets.preview(given.ticker, {}, context.call);
  const { gaps, spans, ...facts } = answer.coverage;
  const start = placeOf(given.cursor);
  const end = start + given.limit;
  return {
    data: {
      ...datedBy(answer, context),
      ...partOf(end < gaps.length ? { ...given, cursor: String(end) } : null),
      coverage: { ...facts, gaps_listed: gaps.length, bases: [...new Set(spans.map(({ basis }) => basis))] },
      items: gaps.slice(start, end),
    },
    text: `${given.ticker} has ${counted(facts.prints, 'observation')} and ${counted(facts.gaps_n, 'gap')}.`,
  };
};

/** Of a market, a cursor is the number of gaps before it. */
const placeOf = (cursor: string | undefined): number => {
  if (cursor === undefined) return 0;
  if (/^\d{1,4}$/.test(cursor)) return Number(cursor);
  throw new ToolError({
    code: 'invalid_arguments',
    detail: 'The cursor is of another call.',
    remedy: 'Call the tool with the arguments in `next` of its last result.',
  });
};

const gapsMax = 5;

/** Where a market has more gaps, `gaps_n` says so, and the coverage of the market has them. */
const shortened = ({ title: _title, event_ticker: _event, gaps, ...facts }: MarketQuality) => ({
  ...facts,
  gaps: gaps.slice(0, gapsMax),
});

const ofTarget = async (given: Input, context: ToolContext) => {
  const { ticker: _, by, ...params } = given;
  const { quality, qualityByPeriod } = context.almanac;
  const pages = by === undefined ? quality(params, context.call) : qualityByPeriod({ ...params, by }, context.call);
  const answer = await pages.firstPage();
  const { markets, periods, has_more, next_cursor, notices: _notices, as_of: _asOf, ...figures } = answer;
  return {
    data: {
      ...datedBy(answer, context),
      ...partOf(has_more ? { ...given, cursor: next_cursor } : null),
      coverage: figures,
      items: by === undefined ? markets.map(shortened) : periods,
    },
    text: `With gaps: ${figures.markets_with_gaps_n} of ${counted(figures.markets_n, 'market')}, from ${figures.from} to ${figures.to}.`,
  };
};
