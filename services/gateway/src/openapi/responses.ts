import { noticed, type Schema, type Schemas } from '@almanac/contracts';
import { problemType } from '../http/problem-details.js';
import { problem, problemDetails } from '../validation/problem.js';
import type { Operation } from '../routes/route.js';
import { validationProblem } from '../validation/fault.js';
import { errorPageLink } from './error-pages.js';
import { type Code, failureOf, requestIdExample } from './failures.js';
import { headerRefs, rowsAloneHeaders } from '../http/headers.js';

/** A response of an operation, by status; or a reference to one of the components. */
export type Responses = Record<string, object>;

export interface ResponseBook {
  of(operation: Operation): Responses;
  readonly components: ReadonlyMap<string, object>;
}

/** Errors of every endpoint, in addition to those of its route. */
const commonCodes: readonly Code[] = ['unauthenticated', 'csrf_refused', 'rate_limited', 'unavailable'];

/** Describes the responses of an operation. An error response that several operations share is a component. */
export const createResponses = (schemas: Schemas): ResponseBook => {
  const components = new Map<string, object>();
  const shared = (name: string, response: () => object): object => {
    if (!components.has(name)) components.set(name, response());
    return { $ref: `#/components/responses/${name}` };
  };
  const refused = (codes: readonly Code[]) =>
    shared(codes.map(pascal).join('Or'), () => refusalResponse(schemas, codes));
  return {
    of: (operation) => {
      const { given, errors, hasEtag, takesFence } = operation;
      const responses: Responses = { 200: success(schemas, operation) };
      if (hasEtag) responses['304'] = shared('NotModified', notModified);
      if (isEventStream(operation)) responses['204'] = shared('NothingNew', nothingNew);
      if (takesRange(operation)) responses['206'] = partial(operation);
      for (const [status, codes] of byStatus([
        ...commonCodes,
        ...errors,
        ...(takesFence ? [] : (['as_of_fenced'] as const)),
        ...(given.body === undefined ? [] : (['payload_too_large'] as const)),
      ])) {
        responses[status] = refused(codes);
      }
      responses['422'] = shared('ValidationFailed', () => validationResponse(schemas));
      responses['default'] = refused(['internal']);
      return responses;
    },
    components,
  };
};

export const takesRange = ({ errors }: Operation): boolean => errors.includes('range_not_satisfiable');

export const isEventStream = ({ success }: Operation): boolean => 'events' in success;

const authenticatedHeaders = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
];

/** Sent when a request has a notice, or when it prefers strict handling. */
const noticeHeaders = ['Almanac-Notice', 'Preference-Applied', 'Vary'];

const success = (schemas: Schemas, operation: Operation): object => {
  const { success: errors, hasEtag, otherForms } = operation;
  const headers = [...authenticatedHeaders, ...noticeHeaders, 'Cache-Control', ...(hasEtag ? ['ETag'] : [])];
  if ('files' in errors) {
    const ranged = takesRange(operation) ? ['Accept-Ranges'] : [];
    const more = ['Content-Disposition', 'Content-Length', ...ranged];
    return { description: 'The file', headers: headerRefs([...headers, ...more]), content: filesOf(errors.files) };
  }
  if ('events' in errors) {
    return {
      description: 'A stream of events. It ends after the last event',
      headers: headerRefs(headers),
      // Without a schema: OpenAPI 3.2 reads one as that of a list of events, and 3.1 as that of a text.
      content: { 'text/event-stream': { example: errors.events } },
    };
  }
  return {
    description: 'Success',
    headers: headerRefs([...headers, ...(otherForms.some((form) => !isJson(form)) ? rowsAloneHeaders : [])]),
    content: {
      // Any object may have notices, so the schemas of the contracts do not repeat them.
      'application/json': { schema: { allOf: [schemas.of(errors.json, 'output'), schemas.of(noticed, 'output')] } },
      ...filesOf(otherForms),
    },
  };
};

/** JSON files are arrays of rows, and text files are strings. Other bytes have no schema. */
const filesOf = (mediaTypes: readonly string[]): object =>
  Object.fromEntries(
    mediaTypes.map((mediaType) => {
      if (mediaType === 'application/json')
        return [mediaType, { schema: { type: 'array', items: { type: 'object' } } }];
      if (isJson(mediaType)) return [mediaType, { schema: { type: 'object' } }];
      return [mediaType, isText(mediaType) ? { schema: { type: 'string' } } : {}];
    }),
  );

/** The JSON of a standard. */
const isJson = (mediaType: string): boolean => mediaType.endsWith('+json');

const isText = (mediaType: string): boolean => mediaType.startsWith('text/') || mediaType.endsWith('ndjson');

const partial = ({ success: of }: Operation): object => ({
  description: 'The requested bytes of the file',
  headers: headerRefs([...authenticatedHeaders, 'ETag', 'Content-Range']),
  // A range of a file is bytes, whatever the file's type.
  content: Object.fromEntries(('files' in of ? of.files : []).map((mediaType) => [mediaType, {}])),
});

const nothingNew = (): object => ({
  description: 'The export has no events after the one in `Last-Event-ID`, and no more will follow',
  headers: headerRefs([...authenticatedHeaders, 'Cache-Control']),
});

const notModified = (): object => ({
  description: 'The answer has not changed since the one with this `ETag`',
  headers: headerRefs([...authenticatedHeaders, 'Cache-Control', 'ETag']),
});

const byStatus = (codes: readonly Code[]): Map<number, Code[]> => {
  const grouped = Map.groupBy(new Set(codes), (code) => failureOf(code).refusal.status);
  grouped.delete(422);
  return new Map([...grouped].toSorted(([one], [other]) => one - other));
};

const refusalResponse = (schemas: Schemas, codes: readonly Code[]): object => {
  const errors = codes.map(failureOf);
  const headers = errors.flatMap(({ refusal }) => Object.keys(refusal.headers));
  const bodies = [...new Set(errors.map(({ body = problem }) => body))].map((body) => schemas.of(body, 'output'));
  const examples: Record<string, object> = {};
  for (const { code, when, refusal } of errors) {
    examples[code] = { summary: when, value: { ...refusal.body, request_id: requestIdExample } };
  }
  // `internal` stands for all unlisted codes, so the codes are not limited.
  const [first = {}, ...others] = bodies;
  const body = others.length === 0 ? first : { anyOf: bodies };
  const schema: Schema = codes.includes('internal')
    ? body
    : { allOf: [body, { properties: { code: { enum: [...codes] } } }] };
  return {
    description: codes.includes('internal')
      ? 'Any other error, such as status 405, 413 or 500. [All error codes](docs/errors)'
      : listed(errors.map(({ code, when }) => `${errorPageLink(code)}: ${when}`)),
    headers: headerRefs([...(codes.every(isBeforeTheKey) ? ['X-Request-Id'] : authenticatedHeaders), ...headers]),
    content: {
      'application/json': { schema, examples },
      [problemType]: { schema: schemas.of(problemDetails, 'output') },
    },
  };
};

/** In Markdown. A single item needs no list. */
const listed = (items: readonly string[]): string =>
  items.length === 1 ? items.join() : items.map((item) => `- ${item}`).join('\n');

/** Sent before the caller is authenticated. */
const isBeforeTheKey = (code: Code): boolean => code === 'unauthenticated' || code === 'payload_too_large';

const validationResponse = (schemas: Schemas): object => ({
  description:
    'The request has invalid fields. `detail` lists every problem in the path, the query, the body and the headers',
  headers: headerRefs(authenticatedHeaders),
  content: {
    'application/json': {
      schema: schemas.of(validationProblem, 'output'),
      example: { ...failureOf('validation_failed').refusal.body, request_id: requestIdExample },
    },
  },
});

const pascal = (code: string): string =>
  code
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
