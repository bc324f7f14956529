import { type Bus, lastEvent, subjects } from '@almanac/bus';
import { type PlanId, planId, type PlanTerms, unlockState } from '@almanac/contracts';

/** Whether an account bought an event or used a credit on it. This stays true unless the purchase is refunded. */
export type IsUnlocked = (account: string, event: string) => Promise<boolean>;

/** Reads from the stream leader each time, so an unlock counts at once and no cache can be stale. */
export const unlocksAt =
  (bus: Bus): IsUnlocked =>
  async (account, event) => {
    const subject = subjects.unlock(account, event);
    const { message } = await lastEvent(bus, { stream: 'EVT_COMMERCE', subject, state: unlockState });
    return message !== undefined && message.event.state.locked_us === null;
  };

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

/** `sharedByPlan` is false if the answer holds for this account only. */
export interface BookGrant {
  readonly included: boolean;
  readonly notice: string | null;
  readonly sharedByPlan: boolean;
}

/** Plans with books and accounts that unlocked the event get full books. Others get a notice that says why not. */
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
