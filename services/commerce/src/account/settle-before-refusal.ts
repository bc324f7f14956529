import { DomainError, type GrantQuote, quotedStatuses } from '@almanac/contracts';
import { forEachConcurrent } from '@almanac/runtime';
import type { CommerceContext } from '../commerce-deps.js';
import { openReservations, settleEnded } from './sweep-reservations.js';

const reservationsAtOnce = 8;

/**
 * Reserves a grant. Before a refusal, it settles the account's exports that have ended: whoever has cancelled an export, or
 * seen its end, can use what it gives back in the next request.
 */
export const reserveAfterEnds = async <T>(
  commerce: CommerceContext,
  account: string,
  reserve: () => Promise<T>,
): Promise<T> => {
  try {
    return await reserve();
  } catch (error) {
    if (!isRefusal(error) || !(await settleAllEnded(commerce, account))) throw error;
    return reserve();
  }
};

/** The same for a quote, which returns its refusal. */
export const quoteAfterEnds = async (
  commerce: CommerceContext,
  account: string,
  quote: () => Promise<GrantQuote>,
): Promise<GrantQuote> => {
  const first = await quote();
  return first.refusal !== null && (await settleAllEnded(commerce, account)) ? quote() : first;
};

const isRefusal = (error: unknown): boolean =>
  error instanceof DomainError && Object.hasOwn(quotedStatuses, error.code);

/** Returns whether any export had ended. */
const settleAllEnded = async (commerce: CommerceContext, account: string): Promise<boolean> => {
  let hasSettled = false;
  await forEachConcurrent(openReservations(await commerce.accounts.load(account)), reservationsAtOnce, async (open) => {
    if (await settleEnded(commerce, open)) hasSettled = true;
  });
  return hasSettled;
};
