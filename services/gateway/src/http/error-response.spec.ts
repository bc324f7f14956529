import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DomainError, type ErrorCode, quotedStatuses } from '@almanac/contracts';
import { failureOf } from '../openapi/failures.js';
import { missingToken } from '../sessions/same-origin.js';
import { csrfRefused, errorResponseOf, type HttpError, pathNotFound, rateLimited } from './error-response.js';
import { tooManyStreams } from './event-streams.js';
import { acceptsProblem, problemDetailsOf, problemType } from './problem-details.js';
import { tooLarge } from './read-body.js';

describe('the answer to an error', () => {
  it('has the status of its code, says when to try again, and passes on what the service adds', () => {
    const statuses: [ErrorCode, number][] = [
      ['invalid_window', 400],
      ['market_not_found', 404],
      ['payment_required', 402],
      ['key_limit_reached', 403],
      ['key_daily_limit', 429],
      ['export_preparing', 409],
      ['export_daily_limit', 429],
      ['export_pending_limit', 429],
      ['conflict', 503],
      ['unavailable', 503],
      ['internal', 500],
    ];
    for (const [code, status] of statuses) {
      const answer = errorResponseOf(new DomainError(code, 'A sentence.', { more: { options: [1] } }));
      assert.deepEqual([answer.status, answer.body], [status, { detail: 'A sentence.', code, options: [1] }]);
      const wait = answer.headers['Retry-After'];
      if (status === 503 || status === 429) assert.match(wait ?? '', /^[1-9]\d*$/);
      else assert.equal(wait, undefined);
    }
    const reported = errorResponseOf(new DomainError('export_restoring', 'Again.', { more: { retry_after_s: 4.2 } }));
    assert.deepEqual(
      [reported.headers, reported.body],
      [{ 'Retry-After': '5' }, { detail: 'Again.', code: 'export_restoring' }],
    );
  });

  it('has no detail of an unexpected failure', () => {
    const { status, body } = errorResponseOf(new Error('secret inside'));
    assert.deepEqual([status, body['code']], [500, 'internal']);
    assert.ok(!JSON.stringify(body).includes('secret'));
  });

  it('is the example of its code', () => {
    const thrown: HttpError[] = [
      pathNotFound(),
      tooLarge(262_144),
      tooManyStreams(),
      rateLimited(1_200, 7),
      csrfRefused(missingToken),
    ];
    for (const error of thrown) assert.deepEqual(errorResponseOf(error), failureOf(error.code).refusal);
  });

  it('has the status that a quote announces', () => {
    for (const [code, status] of Object.entries(quotedStatuses)) {
      assert.equal(failureOf(code as keyof typeof quotedStatuses).refusal.status, status, code);
    }
  });
});

describe('an error as problem details', () => {
  it('is for clients that name its media type', () => {
    for (const accept of [
      problemType,
      `application/json, ${problemType}`,
      `text/csv;q=1, Application/Problem+JSON;q=0.1`,
    ])
      assert.ok(acceptsProblem(accept), accept);
    for (const accept of [undefined, '*/*', 'application/json', 'application/*', `${problemType};q=0`])
      assert.ok(!acceptsProblem(accept), accept);
  });

  it('has the fields of the usual form, and the members of the standard', () => {
    const body = { detail: 'No.', code: 'payment_required', options: [1], request_id: 'r' };
    assert.deepEqual(problemDetailsOf(402, body), {
      type: '/docs/errors/payment_required',
      title: 'Your plan does not cover this export, or a payment was declined.',
      status: 402,
      ...body,
    });
    const faults = [
      { type: 'missing', loc: ['body', 'name'], msg: 'Field required', input: {} },
      { type: 'int_parsing', loc: ['query', 'limit'], msg: 'No integer', input: 'x' },
    ];
    const { detail, errors } = problemDetailsOf(422, { detail: faults, code: 'validation_failed' });
    assert.equal(detail, 'body.name: Field required; query.limit: No integer');
    assert.deepEqual(errors, faults);
  });
});
