// Writes the dataclasses of the Python client from the schemas of the OpenAPI document.
import { comment, pascal, wrapped } from './text.mjs';

/** Shapes that the client reads into errors, or only writes. */
const left = new Set([
  'ProblemDetails',
  'Error',
  'HTTPValidationError',
  'LimitError',
  'PaymentRequiredError',
  'DatasetChangedError',
  'ApiKeyBody',
  'CartEventBody',
  'ExportCreateRequest',
  'UpgradeBody',
  'Noticed',
]);
/** Durations, shares and scores are measured and not exact, so they are always floats. */
const isInexact = (name) => /_(s|ms|share)$/.test(name) || ['score', 'progress'].includes(name);
const isTime = (name) => ['ts', 'as_of'].includes(name) || name.endsWith('_ts');
const keywords = new Set(['from']);

const union = (types) => {
  const distinct = [...new Set(types.flatMap((type) => type.split(' | ')))];
  const isOptional = distinct.includes('None');
  const others = distinct.filter((type) => type !== 'None');
  return [...others, ...(isOptional ? ['None'] : [])].join(' | ');
};
const literalValue = (value) => (typeof value === 'boolean' ? pascal(String(value)) : JSON.stringify(value));
const literal = (values) => `Literal[${values.map(literalValue).join(', ')}]`;
/** A field has a datetime where JSON has Unix seconds. */
const described = (text) => wrapped(text.replaceAll(/, in (?:whole )?Unix seconds/g, ' (UTC)'), '    ');

/** Resolves the type of a field. Shapes without a name become classes named after their place, and are added to `classes`. */
const typesIn = (classes) => {
  const ofNumber = (name) => (isTime(name) ? 'datetime' : isInexact(name) ? 'float' : 'Number');
  const ofArray = (schema, place) => {
    if (schema.prefixItems) return `tuple[${schema.prefixItems.map((item) => typeOf(item, place)).join(', ')}]`;
    return `tuple[${typeOf(schema.items ?? {}, place)}, ...]`;
  };
  const ofObject = (schema, { owner, name }) => {
    if (schema.properties === undefined) return 'Mapping[str, object]';
    const title = `${owner}${pascal(name)}`;
    classes.set(title, classText(title, schema, typeOf));
    return title;
  };
  const ofType = (type, schema, place) => {
    if (type === 'null') return 'None';
    if (type === 'string') return 'str';
    if (type === 'integer') return isTime(place.name) ? 'datetime' : 'int';
    if (type === 'number') return ofNumber(place.name);
    if (type === 'boolean') return 'bool';
    if (type === 'array') return ofArray(schema, place);
    return type === 'object' ? ofObject(schema, place) : 'object';
  };
  const typeOf = (schema, place) => {
    if (schema.$ref) return schema.$ref.split('/').at(-1);
    const options = schema.anyOf ?? schema.oneOf;
    if (options) return union(options.map((option) => typeOf(option, place)));
    if (schema.const !== undefined) return literal([schema.const]);
    const isNull = (value) => value === null;
    if (schema.enum) {
      return union([
        literal(schema.enum.filter((value) => !isNull(value))),
        ...(schema.enum.some(isNull) ? ['None'] : []),
      ]);
    }
    return union([schema.type].flat().map((type) => ofType(type, schema, place)));
  };
  return typeOf;
};

const classText = (owner, schema, typeOf) => {
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const type = typeOf(field, { owner, name });
    const optional = required.has(name) ? type : `${union([type, 'None'])} = None`;
    const text = field.description === undefined ? '' : `\n${described(field.description)}`;
    return `    ${keywords.has(name) ? `${name}_` : name}: ${optional}${text}\n`;
  });
  const doc = schema.description === undefined ? '' : `${wrapped(schema.description, '    ')}\n\n`;
  return `@dataclass(frozen=True, slots=True, kw_only=True)\nclass ${owner}(Named):\n${doc}${fields.join('') || '    pass\n'}`;
};

export const modelsText = (document) => {
  const classes = new Map();
  const typeOf = typesIn(classes);
  const schemas = Object.entries(document.components.schemas).filter(([name]) => !left.has(name));
  for (const [name, schema] of schemas) classes.set(name, classText(name, withNotices(name, schema, document), typeOf));
  const names = [...classes.keys()].toSorted((one, other) => (one < other ? -1 : 1));
  return `${comment('docs/openapi.json')}"""The objects of the API, as frozen dataclasses."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Literal, Mapping, Union

from ._core.named import Named

Number = Union[float, Decimal]
"""A price, a size or a strike: \`float\`, or \`Decimal\` of a client with \`numbers="decimal"\`."""

__all__ = ["Number", ${names.map((name) => JSON.stringify(name)).join(', ')}]


${names.map((name) => classes.get(name)).join('\n\n')}`;
};

/** Every answer can have notices, which its schema does not repeat. */
const withNotices = (name, schema, { components }) => {
  if (!/Response$|^Export(Quote|Group)$|^CreatedApiKey$/.test(name)) return schema;
  const { notices } = components.schemas.Noticed.properties;
  return { ...schema, properties: { ...schema.properties, notices } };
};
