import { mapNames, type VenueId } from '@almanac/contracts';
import { kalshi } from './kalshi/kalshi.js';
import { polymarket } from './polymarket/polymarket.js';
import { statingVenue } from './stating-venue.js';
import type { Venue } from './venue.js';

const registered: Readonly<Record<VenueId, Venue>> = { kalshi, polymarket };

/** The registry of venues, in the order in which formats are tried. What each reads states that the market is its own. */
export const venues: Readonly<Record<VenueId, Venue>> = mapNames(Object.keys(registered) as VenueId[], (id) =>
  statingVenue(id, registered[id]),
);
