import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StoredEvent } from '@almanac/contracts';
import { clean } from './format.js';
import { describeEvents } from './describe-event.js';

const event = (type: string, data: unknown, state: unknown): StoredEvent => ({
  id: 'e',
  type,
  version: 1,
  time: 1,
  account: 'acc',
  data,
  state,
});
const account = {
  account: 'acc',
  plan: 'free',
  credits_granted: 1,
  credits_used: 0,
  exports_today: { day: '2026-11-20', count: 0 },
  reservations: {},
};
const line = (name: string, price: number) => ({ event: name, title: null, price });
const unlock = { account: 'acc', event: 'EV-A', by: 'purchase', checkout_id: 'c', export_id: null, locked_us: null };
const checkout = {
  account: 'acc',
  id: 'c',
  mode: 'stripe',
  lines: [line('EV-A', 500), line('EV-B', 450)],
  total: 950,
  started_us: 1,
  session: null,
  payment: null,
};
const history = (...events: StoredEvent[]): string[] => events.map(describeEvents());

describe('describeEvent', () => {
  it('describes a purchase with its frozen price, and its outcome', () => {
    const session = { id: 'cs', url: 'https://pay.example/secret', expires_us: 1_795_190_591e6 };
    const outcome = { unlocked: ['EV-A'], owed: ['EV-B'], refunded: [] };
    const fulfilled = { status: 'fulfilled', ...checkout, ...outcome, sold: ['EV-A'] };
    const started = { mode: 'stripe', lines: checkout.lines, started_us: 1 };
    assert.deepEqual(
      history(
        event('CheckoutStarted', started, { status: 'started', ...checkout }),
        event('CheckoutOpened', session, { status: 'opened', ...checkout, session }),
        event('CheckoutPaid', { payment: 'pi_1' }, { status: 'paid', ...checkout }),
        event('EventUnlocked', unlock, unlock),
        event('CheckoutFulfilled', outcome, fulfilled),
        event('CheckoutRefunded', { events: ['EV-B'] }, fulfilled),
        event('UnlockRevoked', { locked_us: 5 }, { ...unlock, locked_us: 5 }),
      ),
      [
        'fixed the price of EV-A, EV-B at 9.50 USD (checkout c)',
        'received a payment page that is valid until 2026-11-20 16:03:11 UTC (checkout c)',
        'paid (checkout c, pi_1)',
        'bought EV-A for 5.00 USD (checkout c)',
        'unlocked 1 event, and is owed a refund for EV-B (checkout c)',
        'was refunded for EV-B (checkout c)',
        'lost access to EV-A (checkout c)',
      ],
    );
  });

  it('describes what covered an export, and what was returned', () => {
    const claim = {
      export_id: 'x',
      grant: 'free_credit',
      day: '2026-11-20',
      at_us: 1,
      credit_event: 'EV-A',
      claim: '',
    };
    const { export_id, ...reservation } = claim;
    const credit = { ...unlock, by: 'free_credit', checkout_id: null, export_id };
    assert.deepEqual(
      history(
        event('GrantReserved', claim, { ...account, reservations: { x: reservation } }),
        event('GrantReleased', { export_id, reason: 'failed' }, account),
        event('EventUnlocked', credit, credit),
      ),
      [
        'reserved a free credit for EV-A (export x)',
        'released the reserved grant: failed (export x)',
        'unlocked EV-A with a free credit (export x)',
      ],
    );
  });

  it('describes the erasure of personal data, with and without a customer', () => {
    const erased = (record: boolean, customer_id: string | null) =>
      event('PersonErased', { record, customer_id, plan: 'free' }, account);
    assert.deepEqual(history(erased(true, null), erased(true, 'cus_1'), erased(false, null)), [
      'erased the personal data',
      'erased the personal data, and deleted the customer (cus_1)',
      'found no personal data to erase',
    ]);
  });

  it('shows only the type of an event that is unknown or has an unknown form', () => {
    assert.deepEqual(history(event('Surprised', {}, {}), event('PlanChanged', { tier: 'x' }, {})), [
      'Surprised',
      'PlanChanged',
    ]);
  });

  it('escapes text that would move the cursor or change the character set of a terminal', () => {
    assert.equal(clean('a\u001B[2J\u202Eb\r\nc é 😀'), 'a�[2J�b��c é 😀');
  });
});
