import type { RpcContext } from '@almanac/bus/server';
import type { commerceRpc, InputOf, OutputOf } from '@almanac/contracts';
import type { CommerceContext } from '../commerce-deps.js';
import { claimOf, termsNow } from './claims.js';
import { quoteOf } from './grants.js';
import { quoteAfterEnds } from './settle-before-refusal.js';

export const quote = (
  commerce: CommerceContext,
  input: InputOf<typeof commerceRpc.quote>,
  { caller }: RpcContext,
): Promise<OutputOf<typeof commerceRpc.quote>> =>
  quoteAfterEnds(commerce, caller, async () => {
    const [state, claim] = await Promise.all([commerce.accounts.load(caller), claimOf(commerce, caller, input)]);
    return quoteOf(claim, state, termsNow(commerce));
  });
