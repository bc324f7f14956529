import type { commerceRpc, InputOf } from '@almanac/contracts';
import type { CommerceContext } from '../commerce-deps.js';
import { lockedOf } from '../unlock/unlocks.js';
import type { Claim, ClaimPart, Now } from './grants.js';

type ClaimInput = InputOf<typeof commerceRpc.quote>;

/** What a request needs a grant for. */
export const claimOf = async (
  { store }: CommerceContext,
  account: string,
  { day_pack, l2, split, parts, use_free_credit, ...all }: ClaimInput,
): Promise<Claim> => {
  const distinct = [...new Set([...all.events, ...parts.flatMap(({ events }) => events)])];
  const locked = new Set(await lockedOf(store, account, distinct));
  const partOf = ({ events, plan_only }: { events: string[]; plan_only: boolean }): ClaimPart => ({
    events,
    locked: [...new Set(events)].filter((event) => locked.has(event)),
    planOnly: plan_only,
  });
  return { ...partOf(all), dayPack: day_pack, l2, parts: parts.map(partOf), split, useFreeCredit: use_free_credit };
};

export const termsNow = ({ terms, nowUs }: CommerceContext): Now => ({
  us: nowUs(),
  plans: terms.plans,
  eventPrice: terms.eventPrice,
});
