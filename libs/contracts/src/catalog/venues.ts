/** The venues of the archive. `services/ingest/src/venues` has the code of each. */
export const venues = {
  /** Ids of series and markets begin with `KX`, which nobody types: `KXBTC15M` is also searched as `btc15m`. */
  kalshi: { idPrefix: 'kx' },
  polymarket: { idPrefix: null },
} as const satisfies Record<string, { readonly idPrefix: string | null }>;

export type VenueId = keyof typeof venues;

export const venueIds = Object.keys(venues) as VenueId[];
