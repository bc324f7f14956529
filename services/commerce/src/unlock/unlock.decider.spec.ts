import { describe, it } from 'node:test';
import { type UnlockState, unlockState } from '@almanac/contracts';
import { assertCarries, specificationOf } from '@almanac/event-store/testing';
import { type UnlockCommand, unlockDecider, type UnlockEvent } from './unlock.decider.js';

const { given } = specificationOf(unlockDecider);
const of = { account: 'acc', event: 'EV' };
const buy = (checkoutId: string): UnlockCommand => ({ type: 'buy', ...of, checkoutId });
const spend = (exportId: string): UnlockCommand => ({ type: 'spend-credit', ...of, exportId });
const revoke = (checkoutId: string): UnlockCommand => ({ type: 'revoke', checkoutId, us: 7 });
const unlocked = (paidBy: Pick<UnlockState, 'by' | 'checkout_id' | 'export_id'>): UnlockEvent => ({
  type: 'EventUnlocked',
  data: { ...of, ...paidBy, locked_us: null },
});
const bought = (checkout_id: string): UnlockEvent => unlocked({ by: 'purchase', checkout_id, export_id: null });
const credited = (export_id: string): UnlockEvent => unlocked({ by: 'free_credit', checkout_id: null, export_id });
const revoked: UnlockEvent = { type: 'UnlockRevoked', data: { locked_us: 7 } };

describe('an unlock', () => {
  it('is paid for by a checkout or by the credit of an export', () => {
    given([]).when(buy('one')).then(bought('one'));
    given([]).when(spend('x')).then(credited('x'));
  });
  it('stays for good: a second payment pays for nothing', () => {
    given([bought('one')])
      .when(buy('one'))
      .then(null);
    given([bought('one')])
      .when(buy('two'))
      .then(null);
    given([bought('one')])
      .when(spend('x'))
      .then(null);
    given([credited('x')])
      .when(buy('one'))
      .then(null);
    given([credited('x')])
      .when(spend('y'))
      .then(null);
  });
  it('is taken back only by the refund of its payment', () => {
    given([bought('one')])
      .when(revoke('one'))
      .then(revoked);
    given([bought('one')])
      .when(revoke('two'))
      .then(null);
    given([credited('x')])
      .when(revoke('one'))
      .then(null);
    given([bought('one'), revoked])
      .when(revoke('one'))
      .then(null);
    given([]).when(revoke('one')).then(null);
  });
  it('returns by another purchase or a credit, but not by the refunded one', () => {
    given([bought('one'), revoked])
      .when(buy('one'))
      .then(null);
    given([bought('one'), revoked])
      .when(buy('two'))
      .then(bought('two'));
    given([bought('one'), revoked])
      .when(spend('x'))
      .then(credited('x'));
    given([bought('one'), revoked, bought('two')])
      .when(revoke('one'))
      .then(null);
  });
});

describe('an unlock of a newer release', () => {
  it('keeps its fields in every event', () => {
    const state = unlockState.parse({ ...of, by: 'purchase', checkout_id: 'one' });
    assertCarries(unlockDecider, { state, event: revoked });
    assertCarries(unlockDecider, { state, event: { type: 'EventUnlocked', data: state } });
  });
});
