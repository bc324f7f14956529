import type { z } from 'zod';
import { eventState, marketState, seriesState } from './catalog/catalog.js';
import { commerceEvents } from './commerce/commerce.js';
import type { StreamName } from './events/events.js';
import { exportEvents, fileState, fileSweep, fileUse, fileWaiter } from './export/export-events.js';
import { keyEvents } from './keys/keys.js';
import { stripeEventState } from './commerce/stripe.js';
import { archiveState } from './timeseries/timeseries.js';
import { webhookEvents } from './webhooks/webhook-events.js';

const statesOf = (events: Readonly<Record<string, { readonly shape: { readonly state: z.ZodType } }>>): z.ZodType[] => [
  ...new Set(Object.values(events).map(({ shape }) => shape.state)),
];

/** The states of the entities of each stream, for code that reads any entity. Their types of events are declared. */
export const eventStates: Readonly<Record<StreamName, readonly z.ZodType[]>> = {
  EVT_CATALOG: [marketState, seriesState, eventState],
  EVT_ARCHIVE: [archiveState],
  EVT_KEYS: statesOf(keyEvents),
  EVT_COMMERCE: statesOf(commerceEvents),
  EVT_STRIPE: [stripeEventState],
  EVT_EXPORT: statesOf(exportEvents),
  EVT_WEBHOOK: statesOf(webhookEvents),
  EVT_FILE: [fileState, fileWaiter, fileUse, fileSweep],
};
