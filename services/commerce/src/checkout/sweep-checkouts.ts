import type { AccountState, OpenCheckout } from '@almanac/contracts';
import type { CommerceContext } from '../commerce-deps.js';
import { endOpenCheckout } from './check-out.command.js';
import { loadCheckout } from './checkouts.js';

/** An account's checkout that has been open for longer than a request takes. */
export interface StaleCheckout {
  readonly account: string;
  readonly checkout: OpenCheckout;
}

export const staleCheckouts = ({ account, checkout }: AccountState, beforeUs: number): StaleCheckout[] =>
  checkout !== null && checkout.at_us <= beforeUs ? [{ account, checkout }] : [];

/** Ends a checkout that never started, has no page, or whose page expired unnoticed. Payable ones stay. */
export const sweepCheckout = async (
  commerce: CommerceContext,
  { account, checkout: { id } }: StaleCheckout,
): Promise<void> => {
  const known = await loadCheckout(commerce, { account, id });
  const isPayable = known?.status === 'opened' && (known.session?.expires_us ?? 0) > commerce.nowUs();
  if (!isPayable) await endOpenCheckout(commerce, account, id);
};
