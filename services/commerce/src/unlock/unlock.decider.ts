import { type UnlockState, unlockState } from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';

/** A checkout or the credit of an export pays for an unlock. */
export type UnlockCommand =
  | { readonly type: 'buy'; readonly account: string; readonly event: string; readonly checkoutId: string }
  | { readonly type: 'spend-credit'; readonly account: string; readonly event: string; readonly exportId: string }
  /** A refund revokes only what this checkout unlocked. */
  | { readonly type: 'revoke'; readonly checkoutId: string; readonly us: number };

export type UnlockEvent =
  | { readonly type: 'EventUnlocked'; readonly data: UnlockState }
  | { readonly type: 'UnlockRevoked'; readonly data: { readonly locked_us: number } };

/** An event that an account may use for good. It has its own subject, so an account's state stays small. */
export const unlockDecider: Decider<UnlockState, UnlockCommand, UnlockEvent> = {
  state: unlockState,
  decide: (command, state) => {
    if (command.type === 'revoke') {
      if (!isUnlocked(state) || state?.checkout_id !== command.checkoutId) return null;
      return { type: 'UnlockRevoked', data: { locked_us: command.us } };
    }
    if (isUnlocked(state) || (command.type === 'buy' && isBoughtBy(state, command.checkoutId))) return null;
    const { account, event } = command;
    const paidBy =
      command.type === 'buy'
        ? ({ by: 'purchase', checkout_id: command.checkoutId, export_id: null } as const)
        : ({ by: 'free_credit', checkout_id: null, export_id: command.exportId } as const);
    return { type: 'EventUnlocked', data: { account, event, ...paidBy, locked_us: null } };
  },
  evolve: (state, domainEvent) => {
    if (domainEvent.type === 'EventUnlocked') return { ...state, ...domainEvent.data };
    if (state === undefined) throw new Error('UnlockRevoked of an event that was never unlocked');
    return { ...state, locked_us: domainEvent.data.locked_us };
  },
};

export const isUnlocked = (state: UnlockState | undefined): boolean => state !== undefined && state.locked_us === null;

/** Stays true after a revoke: a checkout unlocks an event once. */
export const isBoughtBy = (state: UnlockState | undefined, checkoutId: string): boolean =>
  state?.by === 'purchase' && state.checkout_id === checkoutId;
