import type { Notice } from '@almanac/contracts';
import type { MarketContext } from '../market-context.js';
import { noticeOfEmpty } from '../notices/empty-window.js';
import type { Grid } from './grid.js';

type Market = Pick<MarketContext, 'stored' | 'asOfUs'>;

/**
 * The notice on a grid before the first or after the last observation of all its markets, which names the nearest ones. Known
 * without a query. As of a time, the last observation is not known, so only a grid before the first one has it.
 */
export const emptyGridNotice = (
  { startUs, endUs, firstUs, stepUs, times }: Grid,
  markets: readonly Market[],
  fill: 'none' | 'previous',
): Notice | undefined => {
  if (times === 0 || markets.length === 0) return undefined;
  const isPast = markets.some(({ asOfUs }) => asOfUs !== null);
  const known = markets.flatMap(({ stored, asOfUs }) =>
    stored === null || (asOfUs !== null && stored.minUs > asOfUs) ? [] : [stored],
  );
  const isOver = ({ maxUs }: { readonly maxUs: number }): boolean =>
    !isPast && fill === 'none' && maxUs <= firstUs - stepUs;
  if (!known.every((stored) => stored.minUs >= endUs || isOver(stored))) return undefined;
  const before = known.filter(isOver).map(({ maxUs }) => maxUs);
  const after = known.map(({ minUs }) => minUs).filter((us) => us >= endUs);
  const nearest = [
    ...(before.length === 0 ? [] : [Math.max(...before)]),
    ...(after.length === 0 ? [] : [Math.min(...after)]),
  ];
  return noticeOfEmpty('observation', { startUs, endUs }, nearest, 'these markets');
};
