export const tags = {
  Catalogue: 'Search and browse categories, series, events and markets.',
  'Time series': 'Preview a market and read its stored observations.',
  Exports: 'Create and download files of an event, a market or one day of a series.',
  Buying: 'Buy single events through a cart, and upgrade the plan.',
  Account: 'The plan and the API keys of the account.',
  Webhooks: 'Get events of exports and markets at an address of your own.',
  Operator: 'The state of the running system, for the accounts of its operator.',
} as const;
export type Tag = keyof typeof tags;
