import assert from 'node:assert/strict';
import { jsonOf } from './http.js';
import type { Case, Shown } from './parameters.js';
import { isRecord } from './shape.js';
import type { ConformanceHarness } from './harness.js';

type Row = Pick<Case, 'request' | 'expected'> & { readonly headers?: Readonly<Record<string, string | undefined>> };

/** Sends the request of a case, and throws when the answer is not the expected one. */
export const checkCase = async (harness: ConformanceHarness, { request, expected, headers }: Row): Promise<void> => {
  const answer = await harness.request(request);
  const answerText = `${answer.status} ${answer.bytes.toString('utf8').slice(0, 500)}`;
  for (const [name, value] of Object.entries(headers ?? {})) assert.equal(answer.headers[name], value, answerText);
  if ('items' in expected) {
    assert.equal(answer.status, 422, answerText);
    const body = jsonOf(answer);
    assert.ok(isRecord(body), answerText);
    assert.deepEqual(body['detail'], expected.items);
    return;
  }
  assert.equal(answer.status, expected.status, answerText);
  if (!('code' in expected || 'shows' in expected)) return;
  const body = jsonOf(answer);
  assert.ok(isRecord(body), answerText);
  if ('code' in expected) assert.equal(body['code'], expected.code, answerText);
  // Each row knows the fields of its endpoint.
  else if (expected.shows !== undefined) assert.deepEqual(expected.shows(body as Shown), expected.value);
};
