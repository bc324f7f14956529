import { counted } from '@almanac/client';
import type { Export, ExportListItem } from '@almanac/client';

type Target = Pick<ExportListItem, 'event' | 'ticker' | 'series' | 'day' | 'from' | 'to'> &
  Partial<Pick<Export, 'events' | 'tickers'>>;

/** What an export is of, in words: `KXBTC15M on 2026-02-25`. */
export const targetOf = ({ event, ticker, series, day, from, to, events, tickers }: Target): string => {
  if (ticker !== null) return ticker;
  if (event !== null) return event;
  if (events !== undefined && events !== null) return counted(events.length, 'event');
  if (tickers !== undefined && tickers !== null) return counted(tickers.length, 'market');
  const days = day ?? (from === null || to === null ? '' : `${from} to ${to}`);
  if (series === null) return days === '' ? 'a list' : days;
  return days === '' ? series : `${series} on ${days}`;
};
