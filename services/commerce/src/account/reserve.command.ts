import type { RpcContext } from '@almanac/bus/server';
import type { commerceRpc, InputOf, OutputOf } from '@almanac/contracts';
import type { CommerceContext } from '../commerce-deps.js';
import { claimOf, termsNow } from './claims.js';
import { grantsOfParts, remarksOf } from './grants.js';
import { reserveAfterEnds } from './settle-before-refusal.js';

type Reserve = InputOf<typeof commerceRpc.reserve>;
type Reserved = OutputOf<typeof commerceRpc.reserve>;

/** Throws what `grantOf` throws. */
export const reserve = (commerce: CommerceContext, input: Reserve, context: RpcContext): Promise<Reserved> =>
  reserveAfterEnds(commerce, context.caller, () => reserveOnce(commerce, input, context));

const reserveOnce = async (commerce: CommerceContext, input: Reserve, context: RpcContext): Promise<Reserved> => {
  const claim = await claimOf(commerce, context.caller, input);
  const now = termsNow(commerce);
  const command = { type: 'reserve', exportId: input.export_id, ...claim, now } as const;
  const state = await commerce.accounts.run(context.caller, command, { timeoutMs: context.remainingMs });
  const reservation = state.reservations[input.export_id];
  if (reservation === undefined) throw new Error(`no reservation of ${input.export_id} after reserving it`);
  const { grant } = reservation;
  const remarks = remarksOf(claim, grant, now.plans[state.plan]);
  return { grant, parts: claim.split ? grantsOfParts(claim, state, now) : [], remarks };
};
