// Writes the table of operations and the advice about errors of the Python client.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { comment } from './text.mjs';

/** Here `as_of` limits what is made, and the answer is of the present. */
const limitedByAsOf = new Set(['createKey']);

/** What the operation does with a point in time: it answers as of it, cannot do so, or shows nothing that changes. */
const asOfOf = ({ operationId, parameters = [], requestBody, responses }, { schemas }) => {
  const given = requestBody?.content?.['application/json']?.schema;
  const { properties = {} } = schemas[given?.$ref?.split('/').at(-1)] ?? given ?? {};
  const isParameter = parameters.some(({ name, in: place }) => name === 'as_of' && place === 'query');
  if ((isParameter || 'as_of' in properties) && !limitedByAsOf.has(operationId)) return 'taken';
  return responses['403']?.$ref.includes('AsOfFenced') ? 'refused' : 'irrelevant';
};

export const operationsText = ({ components, paths }) => {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      if (operation.operationId === undefined) return [];
      const values = [method.toUpperCase(), path, asOfOf(operation, components)].map((value) => JSON.stringify(value));
      return [`    "${operation.operationId}": Operation(${values.join(', ')}),\n`];
    }),
  );
  return `${comment('docs/openapi.json')}from __future__ import annotations

from typing import Final, Literal, Mapping, NamedTuple


class Operation(NamedTuple):
    method: str
    path: str
    as_of: Literal["taken", "refused", "irrelevant"]


OPERATIONS: Final[Mapping[str, Operation]] = {
${rows.toSorted().join('')}}
`;
};

/** What to do about each error code, as its page says. */
export const adviceText = (folder) => {
  const rows = readdirSync(folder)
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .map((file) => {
      const [, advice] = /\n## What to do\n\n([^#]*?)\n\n/.exec(readFileSync(join(folder, file), 'utf8')) ?? [];
      if (advice === undefined) throw new Error(`${file} does not say what to do.`);
      return `    "${file.slice(0, -3)}": ${JSON.stringify(advice)},\n`;
    });
  return `${comment('docs/errors')}from __future__ import annotations

from typing import Final, Mapping

ADVICE: Final[Mapping[str, str]] = {
${rows.toSorted().join('')}}
`;
};
