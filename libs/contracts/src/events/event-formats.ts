import type { StreamName } from './events.js';

/**
 * Each event has the format of the release that wrote it. It tells a process whether an event that it cannot read is
 * newer or wrong. Any change of a stream's events raises the format: `event-formats.spec.ts` compares `shape`, a hash of
 * the schemas of the stream's states and event types.
 */
export const eventFormats: Readonly<Record<StreamName, { readonly format: number; readonly shape: string }>> = {
  EVT_CATALOG: { format: 6, shape: '64e2d4146aeb6436' },
  EVT_ARCHIVE: { format: 1, shape: 'f55c7857e3e2da13' },
  EVT_KEYS: { format: 3, shape: '7fcbb4b92b10550d' },
  EVT_COMMERCE: { format: 3, shape: 'a88ea876cdc198eb' },
  EVT_STRIPE: { format: 1, shape: '613b0743a3934efd' },
  EVT_EXPORT: { format: 8, shape: 'f279c44b4ca8f9e1' },
  EVT_FILE: { format: 8, shape: '3a58fed5742f1125' },
  EVT_WEBHOOK: { format: 3, shape: 'dd380263e16b33d5' },
};
