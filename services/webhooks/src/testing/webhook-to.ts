import type { StoredWebhook } from '@almanac/contracts';

/** A webhook as it is stored, for tests of deliveries. */
export const webhookTo = (url: string): StoredWebhook => ({
  id: 'w',
  url,
  description: '',
  events: ['export.ready'],
  tickers: [],
  series: [],
  created_us: 1,
  enabled_us: 1,
  secrets: [{ version: 1, expires_us: null }],
  disabled: null,
});
