import assert from 'node:assert/strict';
import { type Answer, jsonOf, type Request } from './http.js';

/** One item of a 422. */
export interface Item {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
  readonly input: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Throws when an answer breaks the specification's rules for every answer. */
export const checkShape = (request: Request, answer: Answer): void => {
  const { status, headers, bytes } = answer;
  const description = () =>
    `${request.method} ${request.path.slice(0, 300)} answered ${status}: ${bytes.toString('utf8').slice(0, 500)}`;
  assert.ok(status < 500, description());
  const id = headers['x-request-id'];
  assert.ok(typeof id === 'string' && id !== '', `no X-Request-Id: ${description()}`);
  if (request.method === 'HEAD') assert.equal(bytes.length, 0, description());
  assert.match(String(headers['almanac-notice'] ?? ''), /^[\x20-\x7e]*$/, description());
  if (status < 400) return;
  assert.equal(headers['content-type'], 'application/json', description());
  if (status === 401) assert.equal(headers['www-authenticate'], 'Bearer', description());
  if (status === 405) assert.match(headers.allow ?? '', /^[A-Z]+(, [A-Z]+)*$/, description());
  if (status === 429 || status === 503) assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/, description());
  if (request.method === 'HEAD') return;
  const body = jsonOf(answer);
  assert.ok(isRecord(body), description());
  assert.match(String(body['code']), /^[a-z]+(_[a-z]+)*$/, description());
  assert.equal(body['request_id'], id, description());
  if (status === 422) return checkItems(body, description);
  assert.ok(typeof body['detail'] === 'string' && body['detail'] !== '', description());
};

const checkItems = (body: Readonly<Record<string, unknown>>, description: () => string): void => {
  assert.deepEqual(
    Object.keys(body).filter((name) => name !== 'notices'),
    ['detail', 'code', 'request_id'],
    description(),
  );
  const items: unknown = body['detail'];
  assert.ok(Array.isArray(items) && items.length > 0, description());
  for (const item of items as readonly unknown[]) {
    assert.ok(isRecord(item) && 'input' in item, description());
    const { loc, msg, type, ctx } = item;
    assert.ok(Array.isArray(loc) && ['path', 'query', 'body', 'header'].includes(String(loc[0])), description());
    assert.ok(
      loc.every((part) => typeof part === 'string' || Number.isInteger(part)),
      description(),
    );
    assert.ok(typeof msg === 'string' && typeof type === 'string', description());
    assert.ok(ctx === undefined || isRecord(ctx), description());
    assert.deepEqual(
      Object.keys(item).filter((key) => !itemKeys.has(key)),
      [],
      description(),
    );
  }
};

const itemKeys = new Set(['loc', 'msg', 'type', 'input', 'ctx']);
