import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { eventState, marketState, seriesState } from '../catalog/catalog.js';
import { commerceEvents } from '../commerce/commerce.js';
import { datasetState } from '../export/datasets.js';
import { eventFormats } from './event-formats.js';
import { declaredTypes, type StreamName } from './events.js';
import { exportEvents, fileState, fileSweep, fileUse, fileWaiter } from '../export/export-events.js';
import { keyEvents } from '../keys/keys.js';
import { stripeEventState } from '../commerce/stripe.js';
import { archiveState } from '../timeseries/timeseries.js';
import { webhookEvents } from '../webhooks/webhook-events.js';

const schemas: Readonly<Record<StreamName, readonly z.ZodType[]>> = {
  EVT_CATALOG: [marketState, seriesState, eventState],
  EVT_ARCHIVE: [archiveState],
  EVT_KEYS: Object.values(keyEvents),
  EVT_COMMERCE: Object.values(commerceEvents),
  EVT_STRIPE: [stripeEventState],
  EVT_EXPORT: Object.values(exportEvents),
  EVT_WEBHOOK: Object.values(webhookEvents),
  EVT_FILE: [fileState, fileWaiter, fileUse, fileSweep, datasetState],
};

/** Texts for people are no part of the shape. */
const withoutTexts = ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void => {
  for (const text of ['description', 'examples', 'title']) Reflect.deleteProperty(jsonSchema, text);
};

const shapeOf = (stream: StreamName): string => {
  const hash = createHash('sha256');
  for (const schema of schemas[stream]) {
    hash.update(
      JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: withoutTexts })),
    );
    hash.update(declaredTypes(schema).join());
  }
  return hash.digest('hex').slice(0, 16);
};

describe('the format of events', () => {
  for (const stream of Object.keys(schemas) as StreamName[]) {
    it(`is raised with each change of ${stream}`, () => {
      const { format, shape } = eventFormats[stream];
      assert.equal(
        shapeOf(stream),
        shape,
        `the events of ${stream} have changed: raise its format ${format} in event-formats.ts and set the new shape`,
      );
    });
  }
});
