import { isValidId } from '@almanac/bus';
import type { View } from '../mapping/compile-mapping.js';
import type { MarketFact } from '../model/market-fact.js';

export const tickerOf = (view: View, cells: readonly string[]): string => {
  if ('fixed' in view.ticker) return view.ticker.fixed;
  const text = (cells[view.ticker.cell] ?? '').trim();
  if (view.ticker.pattern === null || text === '') return text;
  const match = view.ticker.pattern.exec(text);
  return match ? (match[1] ?? match[0]) : '';
};

/** Whether each id of the market is valid in a subject. The bus cannot address others. */
export const areNameable = ({ ticker, series, event_ticker: event }: MarketFact): boolean =>
  [ticker, series, event].every((id) => id === undefined || id === null || isValidId(id));
