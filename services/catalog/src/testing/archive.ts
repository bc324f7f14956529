import type { CatalogueFact } from '@almanac/contracts';
import { unixMicros } from '@almanac/runtime';

export const dayUs = 86_400_000_000;
export const hourUs = 3_600_000_000;
/** 2026-02-24 00:00 UTC, the time of the archive, in the past of every run. */
export const oldDay = 1_771_891_200_000_000;
export const nowUs = unixMicros();

/** Fifty old rolling markets an hour apart, a ladder of one event that is live now, and one market without times. */
export const archive: CatalogueFact[] = [
  {
    kind: 'series',
    id: 'BTC',
    label: 'Bitcoin hourly',
    category: 'crypto',
    category_label: 'Crypto',
    shape: 'rolling',
  },
  ...Array.from({ length: 50 }, (_, hour): CatalogueFact => {
    const close_us = oldDay + (hour + 1) * hourUs;
    const ticker = `BTC-${String(hour).padStart(2, '0')}-1`;
    const event_ticker = `BTC-${String(hour).padStart(2, '0')}`;
    return {
      kind: 'market',
      ticker,
      event_ticker,
      series: 'BTC',
      category: 'crypto',
      title: `Bitcoin up at ${hour}?`,
      open_us: close_us - hourUs,
      close_us,
      result: hour % 2 === 0 ? 'yes' : null,
    };
  }),
  { kind: 'event', event_ticker: 'HIGH-1', title: 'Highest temperature in Oslo', series: 'HIGH', category: 'weather' },
  ...['T95999.99', 'T100000', 'T9'].map((strike): CatalogueFact => ({
    kind: 'market',
    ticker: `HIGH-1-${strike}`,
    series: 'HIGH',
    event_ticker: 'HIGH-1',
    category: 'weather',
    category_label: 'Climate & weather',
    floor_strike: strike.slice(1),
    strike_type: 'greater',
    open_us: nowUs - dayUs,
    close_us: nowUs + dayUs,
  })),
  { kind: 'market', ticker: 'HIGH-1-OTHER', series: 'HIGH', event_ticker: 'HIGH-1', close_us: nowUs + dayUs },
  { kind: 'market', ticker: 'LOOSE', title: 'Nobody knows', venue_status: 'open' },
];
