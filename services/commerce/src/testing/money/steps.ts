import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { subjects } from '@almanac/bus';
import {
  type AccountState,
  checkoutState,
  exportState,
  type SoldPlanId,
  unlockState,
  upgradeState,
} from '@almanac/contracts';
import { ConflictError, type EventStore } from '@almanac/event-store';
import type { memoryStore } from '@almanac/event-store/testing';
import { settleReservation } from '../../account/settle-reservations.reactor.js';
import { openReservations, sweepReservation } from '../../account/sweep-reservations.js';
import { isFulfilled } from '../../checkout/checkout.decider.js';
import { loadCheckout } from '../../checkout/checkouts.js';
import { expireCheckout, payCheckout, settle, revokeUnlocks } from '../../checkout/fulfil.js';
import { staleCheckouts, sweepCheckout } from '../../checkout/sweep-checkouts.js';
import type { CommerceContext } from '../../commerce-deps.js';
import { isUnlocked } from '../../unlock/unlock.decider.js';
import { lockedOf } from '../../unlock/unlocks.js';
import { finishUpgrade, isReadyToFinish } from '../../upgrade/upgrade.command.js';
import type { PaymentProviderStub } from './payment-provider-stub.js';

export const accounts = ['ann', 'bob'] as const;
export const events = ['E-1', 'E-2', 'E-3', 'E-4'] as const;
export type Account = (typeof accounts)[number];
export type Event = (typeof events)[number];

/** One operation of an account, or an external event. */
export type Operation =
  | { readonly do: 'add' | 'remove'; readonly account: Account; readonly event: Event }
  | { readonly do: 'check-out'; readonly account: Account; readonly key: string | undefined }
  | { readonly do: 'pay' | 'tell-news'; readonly account: Account }
  | { readonly do: 'refund'; readonly account: Account; readonly event: Event }
  | { readonly do: 'upgrade'; readonly account: Account; readonly plan: SoldPlanId; readonly key: string | undefined }
  | { readonly do: 'export'; readonly account: Account; readonly event: Event; readonly id: string }
  | { readonly do: 'end-export'; readonly account: Account; readonly id: string; readonly ready: boolean }
  | { readonly do: 'change-price'; readonly price: number }
  | { readonly do: 'wait'; readonly hours: number }
  | { readonly do: 'react' | 'sweep' };

/** A crash in the middle of a step: after this many effects, where the last one was done or not. */
export interface CrashPoint {
  readonly after: number;
  readonly isDone: boolean;
}

export type MemoryEventStore = ReturnType<typeof memoryStore>;
export const hourUs = 3_600e6;

/** An event that another service appends. */
export const record = async (store: EventStore, subject: string, state: object, seq = 0): Promise<void> => {
  const event = { id: randomUUID(), type: 'Recorded', version: 1, time: 1, account: null, data: {}, state } as const;
  await store.append(subject, event, seq);
};

/** Delivers webhooks in any order and repeatedly. */
export const deliverWebhooks = async (
  commerce: CommerceContext,
  provider: PaymentProviderStub,
  account: string,
): Promise<void> => {
  for (const { id, payment } of provider.webhooksOf(account).toReversed()) {
    const ref = { account, id };
    if (payment === undefined) await expireCheckout(commerce, ref);
    else await payCheckout(commerce, ref, payment);
  }
};

/** Refunds one bought event in the dashboard. The provider repeats the webhook until it is accepted. */
export const refund = async (
  commerce: CommerceContext,
  { provider, waiting }: { provider: PaymentProviderStub; waiting: (() => Promise<unknown>)[] },
  { account, event }: { account: string; event: string },
): Promise<void> => {
  if (commerce.payments.mode === 'stub') return;
  const loaded = await commerce.store.load(subjects.unlock(account, event), unlockState);
  if (!isUnlocked(loaded?.state) || !loaded?.state.checkout_id) return;
  const id = loaded.state.checkout_id;
  const sale = await loadCheckout(commerce, { account, id });
  if (sale === undefined || !isFulfilled(sale) || !sale.unlocked.includes(event)) return;
  provider.giveBack(account, { id, event, price: sale.lines.find((line) => line.event === event)?.price ?? 0 });
  const deliver = (): Promise<unknown> => revokeUnlocks(commerce, sale, [event]);
  waiting.push(deliver);
  await deliver();
};

export const reserve = async (
  commerce: CommerceContext,
  { account, event, id }: { account: string; event: string; id: string },
) => {
  const locked = await lockedOf(commerce.store, account, [event]);
  const { terms, nowUs } = commerce;
  const now = { us: nowUs(), plans: terms.plans, eventPrice: terms.eventPrice };
  const claim = { events: [event], locked, planOnly: false, dayPack: false, l2: false, parts: [], split: false };
  await commerce.accounts.run(account, { type: 'reserve', exportId: id, ...claim, now }, { timeoutMs: 10_000 });
};

/** Ends an export, and delivers its event to commerce, possibly not for the first time. */
export const endExport = async (
  commerce: CommerceContext,
  memory: MemoryEventStore,
  { account, id, ready }: { account: string; id: string; ready: boolean },
): Promise<void> => {
  const subject = subjects.export(account, id);
  const exportQuery = {
    event: 'E',
    ticker: null,
    series: null,
    day: null,
    streams: [],
    format: 'csv',
    numbers: 'decimal',
  } as const;
  const requested = {
    id,
    account,
    query: exportQuery,
    grant: 'plan',
    file_key: 'k',
    filename: 'f',
    requested_us: 1,
  } as const;
  const file = { storage_key: 's', bytes: 1, row_count: 1, markets: 1, sha256: 'h' };
  const ended = ready
    ? { status: 'ready', ...requested, file, ready_us: commerce.nowUs() }
    : { status: 'failed', ...requested, error: 'e' };
  // An export ends once, so later ends are refused.
  await record(memory, subject, ended).catch((error: unknown) => assert.ok(error instanceof ConflictError));
  const state = (await memory.load(subject, exportState))?.state;
  assert.ok(state);
  if (state.status !== 'pending') await settleReservation(commerce, state, `settle ${account} ${id}`);
};

/** Runs the reactors on all events so far. */
export const react = async (commerce: CommerceContext, memory: MemoryEventStore): Promise<void> => {
  for (const subject of new Set(memory.events.map((stored) => stored.subject))) {
    const entityKind = subject.split('.')[3];
    if (entityKind === 'checkout') {
      const state = (await memory.load(subject, checkoutState))?.state;
      if (state !== undefined && state.status !== 'joined') await settle(commerce, state);
    } else if (entityKind === 'upgrade') {
      const state = (await memory.load(subject, upgradeState))?.state;
      if (state !== undefined && isReadyToFinish(state)) await finishUpgrade(commerce, state);
    }
  }
};

export const sweep = async (commerce: CommerceContext): Promise<void> => {
  const states: AccountState[] = [];
  for (const account of accounts) states.push(await commerce.accounts.load(account));
  for (const state of states)
    for (const stale of staleCheckouts(state, commerce.nowUs() - hourUs)) await sweepCheckout(commerce, stale);
  for (const state of states)
    for (const stale of openReservations(state, commerce.nowUs() - hourUs)) await sweepReservation(commerce, stale);
};
