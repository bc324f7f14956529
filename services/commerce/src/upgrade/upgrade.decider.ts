import {
  type HostedSession,
  type PaymentMode,
  type SoldPlanId,
  type UpgradeState,
  upgradeState,
} from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';

export type UpgradeCommand =
  | {
      readonly type: 'start';
      readonly mode: PaymentMode;
      readonly plan: SoldPlanId;
      readonly price: number;
      readonly us: number;
    }
  | { readonly type: 'open'; readonly session: HostedSession }
  | { readonly type: 'complete' }
  | { readonly type: 'expire' };

export type UpgradeEvent =
  | {
      readonly type: 'UpgradeStarted';
      readonly data: {
        readonly mode: PaymentMode;
        readonly plan: SoldPlanId;
        readonly price: number;
        readonly started_us: number;
      };
    }
  | { readonly type: 'UpgradeOpened'; readonly data: HostedSession }
  | { readonly type: 'UpgradeCompleted'; readonly data: Record<string, never> }
  | { readonly type: 'UpgradeExpired'; readonly data: Record<string, never> };

/** One request for a higher plan and its progress. The plan itself changes at the account. */
export const upgradeDecider = (account: string, id: string): Decider<UpgradeState, UpgradeCommand, UpgradeEvent> => ({
  state: upgradeState,
  decide: (command, state) => {
    if (command.type === 'start') {
      const { mode, plan, price, us } = command;
      return state === undefined ? { type: 'UpgradeStarted', data: { mode, plan, price, started_us: us } } : null;
    }
    if (state === undefined || state.status === 'completed') return null;
    switch (command.type) {
      case 'open':
        return state.status === 'started' ? { type: 'UpgradeOpened', data: command.session } : null;
      case 'complete':
        // An expired upgrade that was paid after all counts too.
        return { type: 'UpgradeCompleted', data: {} };
      case 'expire':
        return state.status === 'expired' ? null : { type: 'UpgradeExpired', data: {} };
      default:
        return unknown(command);
    }
  },
  evolve: (state, domainEvent) => {
    if (domainEvent.type === 'UpgradeStarted')
      return { status: 'started', id, account, ...domainEvent.data, session: null };
    if (state === undefined) throw new Error(`${domainEvent.type} of an upgrade that was never started`);
    switch (domainEvent.type) {
      case 'UpgradeOpened':
        return { ...state, status: 'opened', session: domainEvent.data };
      case 'UpgradeCompleted':
        return { ...state, status: 'completed' };
      case 'UpgradeExpired':
        return { ...state, status: 'expired' };
      default:
        return unknown(domainEvent);
    }
  },
});

const unknown = (value: never): never => {
  throw new Error(`unknown upgrade command or fact ${JSON.stringify(value)}`);
};
