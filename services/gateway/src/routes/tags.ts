/** The parts of the API, in the order in which a reader meets them. */
export const tags = {
  Catalogue: 'Search and browse: categories, their series, their events, their markets.',
  'Time series': 'What was observed of a market: a preview, and every stored observation.',
  Exports: 'Files of an event, a market or a day of a series.',
  Buying: 'Events one by one, through a cart, and plans.',
  Account: "The caller's plan and API keys.",
} as const;
export type Tag = keyof typeof tags;
