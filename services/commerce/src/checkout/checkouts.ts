import { randomUUID } from 'node:crypto';
import { subjects } from '@almanac/bus';
import { type CheckoutState, checkoutState } from '@almanac/contracts';
import { execute } from '@almanac/event-store';
import { countCheckout } from '../metrics.js';
import type { CommerceContext } from '../commerce-deps.js';
import { type CheckoutCommand, checkoutDecider, type Sale } from './checkout.decider.js';

const appendMs = 5_000;

export interface CheckoutRef {
  readonly account: string;
  readonly id: string;
}

export const loadCheckout = async (
  { store }: CommerceContext,
  { account, id }: CheckoutRef,
): Promise<CheckoutState | undefined> => (await store.load(subjects.checkout(account, id), checkoutState))?.state;

/** Changes a checkout and returns its state, or undefined if it does not exist. */
export const changeCheckout = async (
  { store, nowUs }: CommerceContext,
  { account, id }: CheckoutRef,
  command: CheckoutCommand,
): Promise<CheckoutState | undefined> => {
  const outcome = await execute(store, checkoutDecider(account, id), {
    subject: subjects.checkout(account, id),
    command,
    // Random on purpose: if two processes run the same step, the second must see what the first one stored.
    id: randomUUID(),
    account,
    time: nowUs(),
    timeoutMs: appendMs,
  });
  if (outcome?.changed === true) countCheckout(outcome.state.status);
  return outcome?.state;
};

export const changeSale = async (
  commerce: CommerceContext,
  ref: CheckoutRef,
  command: CheckoutCommand,
): Promise<Sale> => {
  const state = await changeCheckout(commerce, ref, command);
  if (state === undefined || state.status === 'joined') throw new Error(`the checkout ${ref.id} sells nothing`);
  return state;
};
