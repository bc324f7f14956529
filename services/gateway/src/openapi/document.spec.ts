import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  exportCreateRequest,
  exportFormatIds,
  exportFormats,
  market,
  previewResponse,
  snapshotForms,
} from '@almanac/contracts';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { routes } from '../routes/routes.js';
import { openApiOf } from './document.js';

type Node = Readonly<Record<string, unknown>>;

const node: z.ZodType<Node> = z.record(z.string(), z.unknown());
const byName = z.record(z.string(), node);
const operation = z.looseObject({
  operationId: z.string(),
  tags: z.array(z.string()),
  summary: z.string(),
  parameters: z.array(node).default([]),
  responses: byName,
});
const shape = z.looseObject({
  openapi: z.string(),
  info: node,
  tags: z.array(z.looseObject({ name: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ schemas: byName, responses: byName, headers: byName, parameters: byName }),
});

/** The document as a client receives it. */
const document = shape.parse(JSON.parse(JSON.stringify(openApiOf(routes))));
const { schemas } = document.components;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, documented]) => ({ name: `${method} ${path}`, ...documented })),
);
const operationOf = (name: string) => {
  const found = operations.find((one) => one.name === name);
  assert.ok(found, name);
  return found;
};

/** Every object in a part of the document, with its JSON pointer. */
const objectsIn = (part: unknown, at = ''): { at: string; object: Node }[] => {
  if (Array.isArray(part)) return part.flatMap((item: unknown, index) => objectsIn(item, `${at}/${index}`));
  const object = node.safeParse(part);
  if (!object.success) return [];
  const inside = Object.entries(object.data).flatMap(([name, value]) => {
    const step = name.replaceAll('~', '~0').replaceAll('/', '~1');
    return objectsIn(value, `${at}/${encodeURIComponent(step)}`);
  });
  return [{ at, object: object.data }, ...inside];
};

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema({ $id: 'openapi', ...document });
const faultsOf = (schema: string, value: unknown): string[] => {
  const check = ajv.compile({ $ref: `openapi#${schema}` });
  return check(value) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

describe('the OpenAPI document', () => {
  it('is a valid OpenAPI 3.2 document to an independent validator', async () => {
    const validator = new Validator();
    assert.deepEqual(await validator.validate(node.parse(JSON.parse(JSON.stringify(document)))), { valid: true });
    assert.equal(validator.version, '3.2');
  });

  it('has the title and version of the specification', () => {
    assert.deepEqual(
      [document.info['title'], document.info['version'], document.openapi.slice(0, 4)],
      ['Almanac', '0.1.0', '3.2.'],
    );
  });

  it('has every endpoint of the gateway, each with its own operation id and a described tag', () => {
    const rows = routes.map(({ method, path }) => `${method} /api/v1${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    assert.deepEqual(operations.map(({ name }) => name).toSorted(), rows.toSorted());
    assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
    const described = document.tags.map(({ name }) => name);
    for (const { name, tags } of operations) assert.ok(described.includes(tags[0] ?? ''), name);
  });

  it('has no broken reference and no unused component', () => {
    const references = new Set<unknown>(objectsIn(document).map(({ object }) => object['$ref']));
    references.delete(undefined);
    const named = (['schemas', 'responses', 'headers', 'parameters'] as const).flatMap((kind) =>
      Object.keys(document.components[kind]).map((name) => `#/components/${kind}/${name}`),
    );
    assert.deepEqual(
      [...references].filter((reference) => !named.includes(String(reference))),
      [],
    );
    assert.deepEqual(
      named.filter((name) => !references.has(name)),
      [],
    );
  });

  it('describes every field and every parameter, with the unit of times and counts', () => {
    for (const [name, schema] of Object.entries(schemas)) {
      for (const [field, documented] of Object.entries(byName.parse(schema['properties']))) {
        const text = JSON.stringify(
          objectsIn(documented).find(({ object }) => 'description' in object || '$ref' in object),
        );
        assert.ok(text, `${name}.${field}`);
        if (/_ts$|^ts$/.test(field)) assert.match(text, /Unix seconds/, `${name}.${field}`);
      }
    }
    for (const { name, parameters } of operations) {
      for (const parameter of parameters) {
        if ('$ref' in parameter) continue;
        assert.ok(parameter['description'], `${name} ${String(parameter['name'])}`);
        assert.ok(node.parse(parameter['schema'])['examples'], `${name} ${String(parameter['name'])}`);
      }
    }
  });

  it('lists parameters in the order, with the bounds and defaults, of the specification', () => {
    const { parameters } = operationOf('get /api/v1/markets');
    assert.deepEqual(
      parameters.filter((one) => '$ref' in one),
      [{ $ref: '#/components/parameters/Prefer' }],
    );
    const ofQuery = parameters.filter((one) => !('$ref' in one));
    const documented = ofQuery.map(({ name, required, schema }) => {
      const { type, minimum, maximum, default: preset } = node.parse(schema);
      return [name, required, type, minimum, maximum, preset];
    });
    const noLimits = [undefined, undefined, undefined];
    assert.deepEqual(documented, [
      ['series', false, 'string', ...noLimits],
      ['status', false, 'string', ...noLimits],
      ['event', false, 'string', ...noLimits],
      ['q', false, 'string', ...noLimits],
      ['category', false, 'string', ...noLimits],
      ['limit', false, 'integer', 1, 200, 50],
      ['days', false, 'integer', 1, 7, 1],
      ['from_ts', false, 'number', ...noLimits],
      ['to_ts', false, 'number', ...noLimits],
      ['cursor', false, 'string', ...noLimits],
      ['changed_since_ts', false, 'number', ...noLimits],
      ['as_of', false, 'number', 0, 4_102_444_800, undefined],
      ['has_gaps', false, 'boolean', ...noLimits],
      ['covered_min', false, 'number', 0, 1, undefined],
    ]);
  });

  it('accepts the same body as the endpoint', () => {
    const request = '/components/schemas/ExportCreateRequest';
    for (const given of [{}, { event: 'E', format: 'parquet', streams: ['l2'] }, { ticker: null, more: 1 }]) {
      assert.deepEqual([faultsOf(request, given).length, exportCreateRequest.safeParse(given).success], [0, true]);
    }
    for (const given of [{ format: 'xml' }, { streams: [] }, { streams: null }, { event: 5 }]) {
      assert.deepEqual(
        [faultsOf(request, given).length > 0, exportCreateRequest.safeParse(given).success],
        [true, false],
      );
    }
  });

  it('rejects an answer that lacks a field or has one of another type, and accepts added ones', () => {
    const shown = z.record(z.string(), z.unknown()).parse(exampleOf('Market'));
    assert.deepEqual(faultsOf('/components/schemas/Market', { ...shown, added_later: 1 }), []);
    for (const field of Object.keys(market.omit({ withheld: true }).shape)) {
      const { [field]: _left, ...rest } = shown;
      assert.equal(faultsOf('/components/schemas/Market', rest).length, 1, field);
      assert.ok(faultsOf('/components/schemas/Market', { ...shown, [field]: [] }).length > 0, field);
    }
    assert.deepEqual(
      schemas['PreviewResponse']?.['required'],
      Object.keys(previewResponse.omit({ as_of: true }).shape),
    );
  });

  it('shows only examples that match their schemas', () => {
    const examples = objectsIn(document).flatMap(({ at, object }) =>
      Array.isArray(object['examples']) ? object['examples'].map((example: unknown) => ({ at, example })) : [],
    );
    assert.ok(examples.length > 100);
    for (const { at, example } of examples) assert.deepEqual(faultsOf(at, example), [], at);
    const bodies = objectsIn(document.components.responses, '/components/responses').flatMap(({ at, object }) => {
      const shownBodies = [
        ...Object.values(byName.catch({}).parse(object['examples'])).map(({ value }) => value),
        ...('example' in object ? [object['example']] : []),
      ];
      return shownBodies.map((value) => ({ at: `${at}/schema`, value }));
    });
    assert.ok(bodies.length > 20);
    for (const { at, value } of bodies) assert.deepEqual(faultsOf(at, value), [], at);
  });

  it('lists every refusal of an endpoint with its codes', () => {
    const codesOf = (name: string) =>
      Object.entries(operationOf(name).responses).flatMap(([status, response]) => {
        const documented = document.components.responses[String(response['$ref']).split('/').at(-1) ?? ''];
        const codes = objectsIn(documented).find(({ object }) => 'enum' in object)?.object['enum'];
        return codes === undefined ? [] : [[status, codes]];
      });
    assert.deepEqual(codesOf('post /api/v1/exports'), [
      ['400', ['missing_target', 'ambiguous_target', 'invalid_input', 'as_of_in_future']],
      ['401', ['unauthenticated']],
      ['402', ['payment_required']],
      ['403', ['csrf_refused', 'as_of_fenced']],
      ['404', ['event_not_found', 'market_not_found', 'series_not_found', 'no_data_for_day', 'dataset_not_found']],
      ['409', ['dataset_changed', 'idempotency_conflict']],
      ['413', ['payload_too_large']],
      ['429', ['rate_limited', 'export_daily_limit', 'export_pending_limit']],
      ['503', ['unavailable', 'conflict']],
    ]);
    assert.deepEqual(codesOf('get /api/v1/markets/{ticker}/preview'), [
      ['400', ['invalid_window', 'as_of_in_future']],
      ['401', ['unauthenticated']],
      ['403', ['csrf_refused', 'as_of_fenced']],
      ['404', ['market_not_found']],
      ['429', ['rate_limited']],
      ['503', ['unavailable']],
    ]);
  });

  it('links every error code of a response to the page of the code', () => {
    const linked = objectsIn(document.components.responses).flatMap(({ object }) => {
      const codes = Object.keys(
        byName.catch({}).parse(byName.catch({}).parse(object['content'])['application/json']?.['examples']),
      );
      return codes.map((code) => [code, String(object['description'])] as const);
    });
    assert.ok(linked.length > 25);
    for (const [code, description] of linked) {
      const page = code === 'internal' ? '(docs/errors)' : `[\`${code}\`](docs/errors/${code})`;
      assert.ok(description.includes(page), code);
    }
  });

  it('lists every media type of files and snapshots', () => {
    const mediaTypesOf = (name: string) => Object.keys(node.parse(operationOf(name).responses['200']?.['content']));
    assert.deepEqual(mediaTypesOf('get /api/v1/exports/{export_id}/file'), [
      ...new Set(exportFormatIds.map((id) => exportFormats[id].contentType)),
    ]);
    assert.deepEqual(mediaTypesOf('get /api/v1/markets/{ticker}/snapshots'), Object.values(snapshotForms));
  });
});

/** An object built from the examples of a component's fields. */
const exampleOf = (name: string): Node =>
  Object.fromEntries(
    Object.entries(byName.parse(schemas[name]?.['properties'])).map(([field, { examples }]) => [
      field,
      z.array(z.unknown()).parse(examples)[0],
    ]),
  );
