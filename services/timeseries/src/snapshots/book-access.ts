import { type Bus, lastMessage, readEvent, subjects } from '@almanac/bus';
import { type PlanId, planId, type PlanTerms, unlockState } from '@almanac/contracts';
import { mapBusError } from '../bus-errors.js';

/** Whether an account has bought (or used a credit on) an event; for good, but for a purchase that is refunded. */
export type IsUnlocked = (account: string, event: string) => Promise<boolean>;

/** Asks the leader each time: an unlock counts at once, and there is nothing to go stale. */
export const unlocksAt =
  (bus: Bus): IsUnlocked =>
  async (account, event) => {
    const last = await mapBusError(lastMessage(bus, 'EVT_COMMERCE', subjects.unlock(account, event)));
    return last !== null && readEvent(last, unlockState).event.state.locked_us === null;
  };

/** Whose plan has full books, and who unlocked what. */
export interface BookRights {
  readonly plans: Readonly<Record<PlanId, PlanTerms>>;
  readonly isUnlocked: IsUnlocked;
}

export interface BookRequest {
  readonly isRequested: boolean;
  readonly plan: string | undefined;
  readonly account: string | undefined;
  readonly event: string | null;
}

/** `sharedByPlan` is false where the answer holds for this account alone. */
export interface BookGrant {
  readonly included: boolean;
  readonly notice: string | null;
  readonly sharedByPlan: boolean;
}

/** Full books go to plans that have them, and to whoever unlocked the event; others are told why not. */
export const bookGrant = async ({ plans, isUnlocked }: BookRights, request: BookRequest): Promise<BookGrant> => {
  if (!request.isRequested) return { included: false, notice: null, sharedByPlan: true };
  const plan = planId.safeParse(request.plan);
  if (plan.success && plans[plan.data].fullBook) return { included: true, notice: null, sharedByPlan: true };
  if (request.event !== null && request.account !== undefined && (await isUnlocked(request.account, request.event))) {
    return { included: true, notice: null, sharedByPlan: false };
  }
  const remedy =
    request.event === null ? 'Upgrade to full_book' : `Buy the event ${request.event}, or upgrade to full_book`;
  const notice = `Order books are not included. They need the full_book plan or an unlocked event. ${remedy}.`;
  return { included: false, notice, sharedByPlan: false };
};
