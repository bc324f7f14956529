import type { VenueId } from '@almanac/contracts';
import { kalshi } from './kalshi/kalshi.js';
import { polymarket } from './polymarket/polymarket.js';
import type { Venue } from './venue.js';

/** The registry of venues, in the order in which formats are tried. */
export const venues: Readonly<Record<VenueId, Venue>> = { kalshi, polymarket };
