import { createSchemas } from '@almanac/contracts';
import type { Route } from '../routes/route.js';
import { tags } from '../routes/tags.js';
import { headerComponents } from '../http/headers.js';
import { aboutSessions, description } from './introduction.js';
import { parameterComponents, parametersOf } from './parameters.js';
import { createResponses } from './responses.js';
import { cookieName } from '../auth/session.js';

export const apiPrefix = '/api/v1';

/** Builds the OpenAPI 3.2 document from the schemas that validate requests and the contracts behind the routes. */
export const openApiOf = (routes: readonly Route[]): object => {
  const schemas = createSchemas();
  const responses = createResponses(schemas);
  const paths: Record<string, Record<string, object>> = {};
  for (const { method, path, operation } of routes) {
    const { doc, given } = operation;
    const body = given.body && {
      required: true,
      content: { 'application/json': { schema: schemas.of(given.body, 'input') } },
    };
    const parameters = parametersOf(schemas, operation);
    const at = `${apiPrefix}${path.replaceAll(/:(\w+)/g, '{$1}')}`;
    (paths[at] ??= {})[method] = {
      operationId: doc.operationId,
      tags: [doc.tag],
      summary: doc.summary,
      ...(doc.description === undefined ? {} : { description: doc.description }),
      ...(parameters.length === 0 ? {} : { parameters }),
      ...(body === undefined ? {} : { requestBody: body }),
      responses: responses.of(operation),
    };
  }
  return {
    openapi: '3.2.0',
    info: {
      title: 'Almanac',
      version: '0.1.0',
      summary: 'An archive of prediction-market data',
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server of this document' }],
    security: [{ bearer: [] }, { session: [] }],
    tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
    paths,
    components: {
      schemas: byName(schemas.components),
      responses: byName(responses.components),
      parameters: parameterComponents(),
      headers: headerComponents(),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'API key', description: 'An API key: `ak_live_…`.' },
        session: { type: 'apiKey', in: 'cookie', name: cookieName, description: aboutSessions },
      },
    },
  };
};

const byName = (components: ReadonlyMap<string, object>): object =>
  Object.fromEntries([...components].toSorted(([one], [other]) => (one < other ? -1 : 1)));
