import { day, dayUs, event, market, midnightUs, series } from './made-archive.js';
import { type OpenStand, openStand } from './stand.js';
import { storeMade } from './store-made.js';

export const openMadeStand = (): Promise<OpenStand> =>
  openStand({
    store: ({ system }) => storeMade(system),
    targets: { event: { event }, ticker: { ticker: market }, day: { series, day } },
    span: { from_us: midnightUs - dayUs, to_us: midnightUs + 2 * dayUs },
  });
