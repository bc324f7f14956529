import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type AccountState,
  type CheckoutLine,
  type CheckoutResponse,
  type CheckoutState,
  DomainError,
  moneyOf,
  type OpenCheckout,
  remarksOfPayment,
} from '@almanac/contracts';
import type { IdempotencyMatch } from '@almanac/runtime';
import { idOfAccountKey } from '../idempotency.js';
import type { CommandContext, CommerceContext } from '../commerce-deps.js';
import { coversAllEvents } from '../account/grants.js';
import { lockedOf } from '../unlock/unlocks.js';
import { isFulfilled, type Sale } from './checkout.decider.js';
import { changeCheckout, changeSale, loadCheckout } from './checkouts.js';
import { settle } from './fulfil.js';
import { abandonCheckout, continueCheckout } from './open-checkout.js';

/** Each round ends or begins a checkout. More than three are needed only if others change the same cart. */
const roundsMax = 100;
const pauseMsMax = 25;

/** Buys the cart. An open checkout of the same cart is returned, another one is replaced. Throws `cart_empty`. */
export const checkOut = async (
  commerce: CommerceContext,
  context: CommandContext,
  key: string | undefined,
): Promise<CheckoutResponse> => {
  const { account } = context;
  // Without a key the request gets a random one, which nobody can repeat.
  const name = key ?? randomUUID();
  for (let round = 0; round < roundsMax && context.remainingMs() > 0; round += 1) {
    if (round > 2) await delay(pauseMsMax * Math.random());
    const { id, existing } = await checkoutOfKey(commerce, account, name);
    const first = existing && (await saleOf(commerce, existing));
    if (first?.session) return pageOf(first, first.session.url);
    const sale = first === undefined ? await oneRound(commerce, context, id) : await continueCheckout(commerce, first);
    if (sale === undefined) continue;
    if (first === undefined && sale.id !== id && key !== undefined) {
      await changeCheckout(commerce, { account, id }, { type: 'join', checkoutId: sale.id, us: commerce.nowUs() });
    }
    // Under a key the first answer is repeated for a day, so it does not show what happened on the page since.
    return key !== undefined && sale.session !== null ? pageOf(sale, sale.session.url) : present(sale);
  }
  throw new DomainError('conflict', 'Your cart changed during the checkout. Try again in a few seconds.');
};

/** A checkout that expired before it had a page does not count. */
const checkoutOfKey = (
  commerce: CommerceContext,
  account: string,
  key: string,
): Promise<IdempotencyMatch<CheckoutState>> =>
  idOfAccountKey(
    { account, about: 'checkout', key, nowUs: commerce.nowUs() },
    (id) => loadCheckout(commerce, { account, id }),
    (known) => known.status !== 'expired' || known.session !== null,
  );

const saleOf = async (commerce: CommerceContext, known: CheckoutState): Promise<Sale> => {
  if (known.status !== 'joined') return known;
  const sale = await loadCheckout(commerce, { account: known.account, id: known.checkout });
  if (sale === undefined || sale.status === 'joined')
    throw new Error(`${known.id} joined a checkout that does not exist`);
  return sale;
};

/** Returns the sale to answer with, or undefined if something changed and the next round must look again. */
const oneRound = async (commerce: CommerceContext, context: CommandContext, id: string): Promise<Sale | undefined> => {
  const state = await commerce.accounts.load(context.account);
  const isCovered = coversAllEvents(commerce.terms.plans[state.plan]);
  if (state.checkout !== null) {
    const same = sameEvents(
      state.checkout.events,
      state.cart.map(({ event }) => event),
    );
    if (same && !isCovered) return continueCheckout(commerce, await startedOf(commerce, state, state.checkout));
    await endOpenCheckout(commerce, context.account, state.checkout.id);
    return undefined;
  }
  if (isCovered && state.cart.length > 0) {
    throw new DomainError(
      'cart_empty',
      'Your plan covers every event in your cart, so there is nothing to buy. Export them.',
    );
  }
  if (await begin(commerce, context, { state, id })) return undefined;
  // Another process may have just fulfilled this checkout.
  if ((await loadCheckout(commerce, { account: context.account, id })) !== undefined) return undefined;
  throw new DomainError('cart_empty', 'Your cart has no event to buy. Add an event, then check out.');
};

const sameEvents = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((event) => others.includes(event));

/** Begins a checkout unless one is open. False if there is nothing to buy. Unlocked events leave the cart unsold. */
const begin = async (
  commerce: CommerceContext,
  context: CommandContext,
  { state, id }: { state: AccountState; id: string },
): Promise<boolean> => {
  const { account } = context;
  const inCart = state.cart.map(({ event }) => event);
  const events = await lockedOf(commerce.store, account, inCart);
  const unlocked = inCart.filter((event) => !events.includes(event));
  if (unlocked.length > 0) {
    await commerce.accounts.run(
      account,
      { type: 'remove-lines', events: unlocked },
      { timeoutMs: context.remainingMs() },
    );
  }
  if (events.length === 0) return false;
  const checkout = { id, events, at_us: commerce.nowUs() };
  await commerce.accounts.run(account, { type: 'begin-checkout', checkout }, { timeoutMs: context.remainingMs() });
  return true;
};

/** Loads the open checkout, or starts it after a crash. The first caller freezes the prices for all. */
const startedOf = async (commerce: CommerceContext, state: AccountState, open: OpenCheckout): Promise<Sale> => {
  const titles = new Map(state.cart.map(({ event, title }) => [event, title]));
  const lines: CheckoutLine[] = open.events.map((event) => ({
    event,
    title: titles.get(event) ?? null,
    price: commerce.terms.eventPrice,
  }));
  const ref = { account: state.account, id: open.id };
  return changeSale(commerce, ref, { type: 'start', mode: commerce.payments.mode, lines, us: commerce.nowUs() });
};

/** Ends the account's open checkout so that another can begin. A paid one is delivered. */
export const endOpenCheckout = async (commerce: CommerceContext, account: string, id: string): Promise<void> => {
  const ref = { account, id };
  const known = await loadCheckout(commerce, ref);
  const expire = { type: 'expire', mode: commerce.payments.mode, us: commerce.nowUs() } as const;
  const sale = known ?? (await changeSale(commerce, ref, expire));
  if (sale.status === 'joined') throw new Error(`the open checkout ${id} sells nothing`);
  if (sale.status === 'expired') await settle(commerce, sale);
  else await abandonCheckout(commerce, sale);
};

/** The answer in stub mode, and for a checkout that is already paid. */
const present = (sale: Sale): CheckoutResponse => {
  if (!isFulfilled(sale)) return pageOf(sale, sale.session?.url ?? null);
  const { mode, sold, lines } = sale;
  const total = lines.filter(({ event }) => sold.includes(event)).reduce((sum, { price }) => sum + price, 0);
  const done = { mode, status: 'completed', unlocked: sold, total: moneyOf(total), checkout_url: null } as const;
  return { ...done, ...remarksOfPayment(mode) };
};

/** The first answer of a checkout with a payment page, whatever happened to it since. */
const pageOf = ({ mode, total }: Sale, checkout_url: string | null): CheckoutResponse => ({
  mode,
  status: 'pending',
  unlocked: [],
  total: moneyOf(total),
  checkout_url,
});
