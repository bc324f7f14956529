import { headerNames, subjects } from '@almanac/bus';
import { createSchemas, type StoredExportEvent, exportEvents } from '@almanac/contracts';
import { examples } from './examples.js';
import { description } from './introduction.js';

const address = subjects.export('ACCOUNT', 'EXPORT').replace('ACCOUNT', '{account}').replace('EXPORT', '{export_id}');

/** The AsyncAPI 3.1 document of export events, generated from the schemas that parse them. */
export const asyncApi = (): object => {
  const schemas = createSchemas();
  const types = Object.keys(exportEvents) as StoredExportEvent['type'][];
  const refs = types.map((type) => [type, { $ref: `#/components/messages/${type}` }] as const);
  const messages = types.map((type) => [type, messageOf(type, schemas.of(exportEvents[type], 'output'))] as const);
  return {
    asyncapi: '3.1.0',
    info: { title: 'Almanac: events of exports', version: '1.0.0', description, license: { name: 'MIT' } },
    defaultContentType: 'application/json',
    servers: {
      nats: {
        host: 'nats:4222',
        protocol: 'nats',
        description:
          'NATS with JetStream, inside the company. `npm start` writes its address and a password to `subscriber.env`',
        security: [{ $ref: '#/components/securitySchemes/user' }],
      },
    },
    channels: {
      exports: {
        address,
        title: 'Exports',
        description: 'All events of one export, in order. `evt.export.>` has the events of all exports.',
        parameters: {
          account: { description: 'Id of the account that owns the export' },
          export_id: { description: 'Id of the export, a UUID' },
        },
        messages: Object.fromEntries(refs),
        'x-jetstream-stream': 'EVT_EXPORT',
      },
    },
    operations: {
      publishExports: {
        action: 'send',
        channel: { $ref: '#/channels/exports' },
        title: 'Publish an event of an export',
        messages: types.map((type) => ({ $ref: `#/channels/exports/messages/${type}` })),
      },
    },
    components: {
      messages: Object.fromEntries(messages),
      schemas: { Headers: headers, ...Object.fromEntries(schemas.components) },
      securitySchemes: { user: { type: 'userPassword', description: 'A NATS user with its own durable consumer' } },
    },
  };
};

const headers = {
  type: 'object',
  properties: {
    [headerNames.requestId]: {
      type: 'string',
      description:
        'Id of the request that caused the event: the `X-Request-Id` of its answer, and the `request_id` in logs',
    },
    [headerNames.traceparent]: {
      type: 'string',
      description: 'Span of the publication in the format of W3C Trace Context, if tracing is on',
    },
    [headerNames.tracestate]: { type: 'string' },
  },
};

const messageOf = (type: StoredExportEvent['type'], payload: object): object => ({
  name: type,
  title: type,
  summary: exportEvents[type].meta()?.description,
  contentType: 'application/json',
  headers: { $ref: '#/components/schemas/Headers' },
  payload,
  examples: [{ name: type, payload: examples[type] }],
});
