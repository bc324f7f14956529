import { z } from 'zod';
import { type Tag, tags } from '../routes/tags.js';
import { errorPages } from './error-pages.js';
import { longDescription } from './introduction.js';

const parameter = z.object({
  name: z.string(),
  in: z.string(),
  required: z.boolean().default(false),
  description: z.string().default(''),
});
const operation = z.object({
  tags: z.array(z.string()),
  summary: z.string(),
  description: z.string().optional(),
  parameters: z.array(z.looseObject({ $ref: z.string().optional() })).default([]),
  requestBody: z
    .object({ content: z.object({ 'application/json': z.object({ schema: z.looseObject({}) }) }) })
    .optional(),
});
const described = z.object({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({
    parameters: z.record(z.string(), parameter),
    schemas: z.record(z.string(), z.looseObject({})),
  }),
});
type Described = z.output<typeof described>;

const head = `# Almanac

> A research API over an archive of prediction-market data: prices, order books, trades, settlements and files of them.

Send \`Authorization: Bearer <API_KEY>\` with each request. Times are Unix seconds. Prices are fractions of 1. Null means unknown.`;

/** A text for each language model that is told the address of the server (llmstxt.org). */
export const modelPages = (document: object): readonly { readonly path: string; readonly text: string }[] => {
  const parsed = described.parse(document);
  const short = [
    head,
    '## Documentation',
    [
      '- [Everything in one text](llms-full.txt): this page with parameters, rules and error codes',
      '- [OpenAPI document](openapi.json): every endpoint with its schemas',
      '- [Reference](docs): the same for people',
      '- [Error codes](docs/errors): cause and remedy of each',
    ].join('\n'),
    ...endpointsOf(parsed, ({ name, found }) => `- ${name}: ${found.summary}`, '\n'),
  ];
  const errors = errorPages.map(({ code, status, sections }) => {
    const texts = sections.map(({ title, text }) => `${title}: ${text}`);
    return `- \`${code}\` (${status}). ${texts.join(' ')}`;
  });
  const full = [
    '# Almanac',
    longDescription,
    ...endpointsOf(parsed, (endpoint) => wholeText(parsed, endpoint), '\n\n'),
    '## Errors',
    errors.join('\n'),
  ];
  return [
    { path: '/llms.txt', text: `${short.join('\n\n')}\n` },
    { path: '/llms-full.txt', text: `${full.join('\n\n')}\n` },
  ];
};

interface Endpoint {
  /** Such as `GET /api/v1/search`. */
  readonly name: string;
  readonly found: z.output<typeof operation>;
}

/** A heading for each tag, and its endpoints. */
const endpointsOf = (
  { paths }: Described,
  textOf: (endpoint: Endpoint) => string,
  separator: string,
): readonly string[] => {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, found]) => ({ name: `${method.toUpperCase()} ${path}`, found })),
  );
  return Object.keys(tags).flatMap((tag) => {
    const own = all.filter(({ found }) => found.tags.includes(tag));
    return [`## ${tag}`, tags[tag as Tag], own.map(textOf).join(separator)];
  });
};

const wholeText = (document: Described, { name, found }: Endpoint): string => {
  const parameters = found.parameters.map((one) => {
    const shared =
      one.$ref === undefined ? undefined : document.components.parameters[one.$ref.split('/').at(-1) ?? ''];
    return shared ?? parameter.parse(one);
  });
  const lines = parameters.map(
    ({ name: field, in: place, required, description }) =>
      `- \`${field}\` (${place}${required ? ', required' : ''}): ${description}`,
  );
  return [`### ${name}`, found.summary, found.description, lines.join('\n'), bodyText(document, found)]
    .filter((text) => text !== undefined && text !== '')
    .join('\n\n');
};

const bodySchema = z.object({
  properties: z.record(z.string(), z.looseObject({ description: z.string().optional() })).default({}),
  required: z.array(z.string()).default([]),
});

const bodyText = ({ components }: Described, { requestBody }: z.output<typeof operation>): string => {
  const schema = requestBody?.content['application/json'].schema;
  if (schema === undefined) return '';
  const name = typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined;
  const { properties, required } = bodySchema.parse(name === undefined ? schema : components.schemas[name]);
  const lines = Object.entries(properties).map(
    ([field, { description = '' }]) =>
      `- \`${field}\` (body${required.includes(field) ? ', required' : ''}): ${description}`,
  );
  return lines.join('\n');
};
