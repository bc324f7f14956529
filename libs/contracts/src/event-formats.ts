import type { StreamName } from './events.js';

/**
 * Each event has the format of the release that wrote it. It tells a process whether an event that it cannot read is
 * newer or wrong. Any change of a stream's events raises the format: `event-formats.spec.ts` compares `shape`, a hash of
 * the schemas of the stream's states and event types.
 */
export const eventFormats: Readonly<Record<StreamName, { readonly format: number; readonly shape: string }>> = {
  EVT_CATALOG: { format: 5, shape: 'ab9407ca10c05215' },
  EVT_ARCHIVE: { format: 1, shape: 'f55c7857e3e2da13' },
  EVT_KEYS: { format: 2, shape: '0d9aa7f1cf4960a0' },
  EVT_COMMERCE: { format: 2, shape: '73b8283149dc8893' },
  EVT_STRIPE: { format: 1, shape: '613b0743a3934efd' },
  EVT_EXPORT: { format: 6, shape: 'ba89bf83256c2c0a' },
  EVT_FILE: { format: 6, shape: '8d45cb73b69e443e' },
  EVT_WEBHOOK: { format: 1, shape: 'f5af7c26f5c390e3' },
};
