import type { StreamName } from './events.js';

/**
 * Each event has the format of the release that wrote it. It tells a process whether an event that it cannot read is
 * newer or wrong. Any change of a stream's events raises the format: `event-formats.spec.ts` compares `shape`, a hash of
 * the schemas of the stream's states and event types.
 */
export const eventFormats: Readonly<Record<StreamName, { readonly format: number; readonly shape: string }>> = {
  EVT_CATALOG: { format: 1, shape: '1721228e08cdae85' },
  EVT_ARCHIVE: { format: 1, shape: 'f55c7857e3e2da13' },
  EVT_KEYS: { format: 1, shape: '5975bc1917781bed' },
  EVT_COMMERCE: { format: 1, shape: '67822b7258fe44af' },
  EVT_STRIPE: { format: 1, shape: '613b0743a3934efd' },
  EVT_EXPORT: { format: 1, shape: '955fe067de5179b6' },
  EVT_FILE: { format: 1, shape: '3092b60db71a7ba9' },
};
