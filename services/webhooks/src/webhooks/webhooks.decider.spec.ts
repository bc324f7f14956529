import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { type ErrorCode, DomainError, type StoredWebhook, webhooksMax, type WebhooksState } from '@almanac/contracts';
import { assertCarries } from '@almanac/event-store/testing';
import {
  changesPerDayMax,
  requestOfKey,
  rotationOverlapUs,
  type WebhooksCommand,
  webhooksDecider,
} from './webhooks.decider.js';

const decider = webhooksDecider('a');
const webhook = (id: string): StoredWebhook => ({
  id,
  url: 'https://receiver.example/',
  description: '',
  events: ['export.ready'],
  tickers: [],
  series: [],
  created_us: 1,
  enabled_us: 1,
  secrets: [{ version: 1, expires_us: null, derived_from: 'one' }],
  disabled: null,
});

const run = (state: WebhooksState | undefined, command: WebhooksCommand): WebhooksState | undefined => {
  const event = decider.decide(command, state);
  return event === null ? state : decider.evolve(state, event);
};
const after = (...commands: readonly WebhooksCommand[]): WebhooksState | undefined =>
  commands.reduce<WebhooksState | undefined>(run, undefined);
const rotate = (us: number, overlaps = true, request = `at ${us}`): WebhooksCommand => ({
  type: 'rotate',
  id: 'w',
  us,
  derivedFrom: 'two',
  overlaps,
  request,
});
const create = (id: string): WebhooksCommand => ({ type: 'create', webhook: webhook(id) });
const refuses = (state: WebhooksState | undefined, command: WebhooksCommand, code: ErrorCode): void =>
  assert.throws(
    () => decider.decide(command, state),
    (error) => error instanceof DomainError && error.code === code,
  );

describe('the webhooks of an account', () => {
  it('are at most 20, whatever their status', () => {
    const ids = Array.from({ length: webhooksMax }, (_, n) => `w${n}`);
    const full = after(...ids.map(create), { type: 'disable', id: 'w1', us: 2, reason: 'r' });
    refuses(full, create('one more'), 'webhook_limit_reached');
    assert.equal(
      run(run(full, { type: 'delete', id: 'w0', request: 'r' }), create('again'))?.webhooks.length,
      webhooksMax,
    );
  });

  it('are created once by a repeated request, and another request with its id is a conflict', () => {
    const state = after(create('w'));
    assert.equal(decider.decide(create('w'), state), null);
    const other: WebhooksCommand = { type: 'create', webhook: { ...webhook('w'), url: 'https://other.example/' } };
    refuses(state, other, 'idempotency_conflict');
  });

  it('have at most two secrets, the earlier one for 24 hours', () => {
    const state = after(create('w'), rotate(5), rotate(9));
    assert.deepEqual(state?.webhooks[0]?.secrets, [
      { version: 3, expires_us: null, derived_from: 'two' },
      { version: 2, expires_us: 9 + rotationOverlapUs, derived_from: 'two' },
    ]);
  });

  it('have a lost secret no longer once it is rotated', () => {
    const state = after(create('w'), rotate(5, false));
    assert.deepEqual(state?.webhooks[0]?.secrets, [
      { version: 2, expires_us: null, derived_from: 'two' },
      { version: 1, expires_us: 5, derived_from: 'one' },
    ]);
  });

  it('of a release that did not record the origin of their secrets get it once, and others keep theirs', () => {
    const untraced = { ...webhook('old'), secrets: [{ version: 1, expires_us: null }] };
    const state = after(create('w'), { type: 'create', webhook: untraced });
    const traced = run(state, { type: 'trace', derivedFrom: 'two' });
    const sources = traced?.webhooks.map(({ id, secrets }) => [id, secrets[0]?.derived_from]);
    assert.deepEqual(sources, [
      ['w', 'one'],
      ['old', 'two'],
    ]);
    assert.equal(decider.decide({ type: 'trace', derivedFrom: 'three' }, traced), null);
    assert.equal(decider.decide({ type: 'trace', derivedFrom: 'three' }, undefined), null);
  });

  it('are disabled with the first reason, and send events again from their enabling on', () => {
    const disabled = after(create('w'), { type: 'disable', id: 'w', us: 2, reason: 'first' });
    assert.deepEqual(disabled?.webhooks[0]?.disabled, { us: 2, reason: 'first' });
    assert.equal(decider.decide({ type: 'disable', id: 'w', us: 3, reason: 'second' }, disabled), null);
    const enabled = run(disabled, { type: 'enable', id: 'w', us: 7, request: 'r' })?.webhooks[0];
    assert.deepEqual([enabled?.disabled, enabled?.enabled_us], [null, 7]);
    assert.equal(decider.decide({ type: 'enable', id: 'w', us: 8, request: 'r' }, after(create('w'))), null);
  });

  it('change at most 100 times on a UTC day, but can always be deleted and disabled', () => {
    let state = after(create('w'));
    for (let n = 1; n < changesPerDayMax; n += 1) state = run(state, rotate(n));
    refuses(state, rotate(1), 'webhook_daily_limit');
    refuses(state, create('x'), 'webhook_daily_limit');
    assert.ok(decider.decide(rotate(86_400e6), state));
    assert.ok(decider.decide({ type: 'disable', id: 'w', us: 1, reason: 'r' }, state));
    assert.ok(decider.decide({ type: 'delete', id: 'w', request: 'r' }, state));
  });

  it('are changed once by each of the last 10 requests, which are not refused when they are sent again', () => {
    const deletion: WebhooksCommand = { type: 'delete', id: 'x', request: 'deletion' };
    let state = after(create('w'), create('x'), deletion);
    for (let n = 2; n < 100; n += 1) state = run(state, rotate(n));
    assert.equal(decider.decide(rotate(99), state), null, 'the 100th change of the day');
    refuses(state, rotate(89), 'webhook_daily_limit');
    refuses(state, deletion, 'webhook_not_found');
    const deleted = after(create('w'), create('x'), deletion);
    assert.equal(decider.decide(deletion, deleted), null);
    assert.deepEqual(requestOfKey(deleted, 'deletion')?.deleted, webhook('x'));
  });

  it('that do not exist are not found by any command', () => {
    for (const type of ['delete', 'enable', 'disable'] as const)
      refuses(after(create('w')), { type, id: 'x', us: 1, reason: 'r', request: 'r' }, 'webhook_not_found');
    refuses(after(create('x')), rotate(1), 'webhook_not_found');
  });

  it('of a newer release keep their fields in every event', () => {
    const state = after(create('w'), rotate(1));
    const withOneSecret = after(create('w'));
    assert.ok(state && withOneSecret);
    assertCarries(decider, { state, event: { type: 'WebhookCreated', data: webhook('x') } });
    assertCarries(decider, { state, event: { type: 'WebhookDeleted', data: { id: 'another', request: 'r' } } });
    const rotated = { id: 'w', version: 3, us: 2, expires_us: 3, request: 'r' };
    assertCarries(decider, { state: withOneSecret, event: { type: 'WebhookSecretRotated', data: rotated } });
    assertCarries(decider, { state, event: { type: 'WebhookSecretsTraced', data: { derived_from: 'two' } } });
    assertCarries(decider, { state, event: { type: 'WebhookDisabled', data: { id: 'w', us: 2, reason: 'r' } } });
    assertCarries(decider, { state, event: { type: 'WebhookEnabled', data: { id: 'w', us: 2, request: 'r' } } });
  });
});
