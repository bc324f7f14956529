// Writes the table of operations and the advice about errors of the Python client. The generator of clients reads both.
import { comment } from './text.mjs';

export const operationsText = (operations) => {
  const rows = operations.map(({ id, method, path, asOf }) => {
    const values = [method, path, asOf].map((value) => JSON.stringify(value));
    return `    "${id}": Operation(${values.join(', ')}),\n`;
  });
  return `${comment('docs/openapi.json')}from __future__ import annotations

from typing import Final, Literal, Mapping, NamedTuple


class Operation(NamedTuple):
    method: str
    path: str
    as_of: Literal["taken", "refused", "irrelevant"]


OPERATIONS: Final[Mapping[str, Operation]] = {
${rows.join('')}}
`;
};

/** What to do about each error code, as its page says. */
export const adviceText = (advice) => {
  const rows = advice.map(([code, text]) => `    "${code}": ${JSON.stringify(text)},\n`);
  return `${comment('docs/errors')}from __future__ import annotations

from typing import Final, Mapping

ADVICE: Final[Mapping[str, str]] = {
${rows.join('')}}
`;
};
