import {
  type CheckoutLine,
  type CheckoutState,
  checkoutState,
  type HostedSession,
  type PaymentMode,
} from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';

export type CheckoutCommand =
  | {
      readonly type: 'start';
      readonly mode: PaymentMode;
      readonly lines: readonly CheckoutLine[];
      readonly us: number;
    }
  | { readonly type: 'join'; readonly checkoutId: string; readonly us: number }
  | { readonly type: 'open'; readonly session: HostedSession }
  | { readonly type: 'pay'; readonly payment: string | null }
  | { readonly type: 'fulfil'; readonly unlocked: readonly string[]; readonly owed: readonly string[] }
  /** If the checkout does not exist yet, it can then never start. */
  | { readonly type: 'expire'; readonly mode: PaymentMode; readonly us: number }
  | { readonly type: 'refund'; readonly events: readonly string[] };

export type CheckoutEvent =
  | {
      readonly type: 'CheckoutStarted';
      readonly data: { readonly mode: PaymentMode; readonly lines: CheckoutLine[]; readonly started_us: number };
    }
  | { readonly type: 'CheckoutJoined'; readonly data: { readonly checkout: string; readonly started_us: number } }
  | { readonly type: 'CheckoutOpened'; readonly data: HostedSession }
  | { readonly type: 'CheckoutPaid'; readonly data: { readonly payment: string | null } }
  | { readonly type: 'CheckoutFulfilled'; readonly data: { readonly unlocked: string[]; readonly owed: string[] } }
  | { readonly type: 'CheckoutExpired'; readonly data: { readonly mode: PaymentMode; readonly at_us: number } }
  | { readonly type: 'CheckoutRefunded'; readonly data: { readonly events: string[] } };

/** A checkout that sells something. A joined one only refers to another. */
export type Sale = Exclude<CheckoutState, { status: 'joined' }>;
export type FulfilledSale = Extract<CheckoutState, { unlocked: string[] }>;

export const isFulfilled = (state: CheckoutState): state is FulfilledSale => 'unlocked' in state;

/** Paid but not yet delivered. A stub checkout counts as paid from its start. */
export const isReadyToFulfil = (state: CheckoutState): state is Sale =>
  state.status === 'paid' || (state.status === 'started' && state.mode === 'stub');

/** One purchase, from the cart to the unlocks. Every step happens once, and repeating it changes nothing. */
export const checkoutDecider = (
  account: string,
  id: string,
): Decider<CheckoutState, CheckoutCommand, CheckoutEvent> => ({
  state: checkoutState,
  decide: (command, state) => {
    if (state !== undefined) return decide(command, state);
    if (command.type === 'start') return started(command);
    if (command.type === 'join') {
      return { type: 'CheckoutJoined', data: { checkout: command.checkoutId, started_us: command.us } };
    }
    return command.type === 'expire'
      ? { type: 'CheckoutExpired', data: { mode: command.mode, at_us: command.us } }
      : null;
  },
  evolve: (state, domainEvent) => {
    if (domainEvent.type === 'CheckoutStarted') return startedState({ account, id, ...domainEvent.data });
    if (domainEvent.type === 'CheckoutJoined') return { status: 'joined', account, id, ...domainEvent.data };
    if (state === undefined && domainEvent.type === 'CheckoutExpired') {
      const { mode, at_us } = domainEvent.data;
      return { ...startedState({ account, id, mode, lines: [], started_us: at_us }), status: 'expired' };
    }
    if (state === undefined || state.status === 'joined')
      throw new Error(`${domainEvent.type} of a checkout that does not exist`);
    return evolve(state, domainEvent);
  },
});

const started = ({ mode, lines, us }: Extract<CheckoutCommand, { type: 'start' }>): CheckoutEvent => ({
  type: 'CheckoutStarted',
  data: { mode, lines: [...lines], started_us: us },
});

type CheckoutStart = Pick<Sale, 'account' | 'id' | 'mode' | 'lines' | 'started_us'>;

const startedState = (
  start: CheckoutStart,
): Extract<CheckoutState, { status: 'started' | 'opened' | 'paid' | 'expired' }> => ({
  status: 'started',
  ...start,
  total: start.lines.reduce((sum, { price }) => sum + price, 0),
  session: null,
  payment: null,
});

const decide = (command: CheckoutCommand, state: CheckoutState): CheckoutEvent | null => {
  if (state.status === 'joined') return null;
  switch (command.type) {
    case 'start':
    case 'join':
      return null;
    case 'open':
      return state.status === 'started' ? { type: 'CheckoutOpened', data: command.session } : null;
    case 'pay':
      // An expired checkout that was paid after all is delivered too.
      if (!['started', 'opened', 'expired'].includes(state.status) || state.lines.length === 0) return null;
      return { type: 'CheckoutPaid', data: { payment: command.payment } };
    case 'fulfil': {
      const { unlocked, owed } = command;
      return isReadyToFulfil(state)
        ? { type: 'CheckoutFulfilled', data: { unlocked: [...unlocked], owed: [...owed] } }
        : null;
    }
    case 'expire':
      if (state.mode === 'stub' || !['started', 'opened'].includes(state.status)) return null;
      return { type: 'CheckoutExpired', data: { mode: command.mode, at_us: command.us } };
    case 'refund': {
      const sold = isFulfilled(state) ? [...state.unlocked, ...state.owed] : [];
      const events = sold.filter((event) => command.events.includes(event));
      return events.length === 0 ? null : { type: 'CheckoutRefunded', data: { events } };
    }
    default:
      return unknown(command);
  }
};

type LaterEvent = Exclude<CheckoutEvent, { type: 'CheckoutStarted' | 'CheckoutJoined' }>;

const evolve = (state: Sale, domainEvent: LaterEvent): CheckoutState => {
  const { status: _, ...whole } = state;
  switch (domainEvent.type) {
    case 'CheckoutOpened':
      return { ...whole, status: 'opened', session: domainEvent.data };
    case 'CheckoutPaid':
      return { ...whole, status: 'paid', payment: domainEvent.data.payment };
    case 'CheckoutExpired':
      return { ...whole, status: 'expired' };
    case 'CheckoutFulfilled':
      return outcomeOf(whole, { ...domainEvent.data, refunded: [], sold: domainEvent.data.unlocked });
    case 'CheckoutRefunded': {
      if (!isFulfilled(state)) throw new Error('CheckoutRefunded of a checkout that was not fulfilled');
      const { events } = domainEvent.data;
      const without = (of: readonly string[]) => of.filter((event) => !events.includes(event));
      const refunded = [...state.refunded, ...events];
      return outcomeOf(whole, {
        unlocked: without(state.unlocked),
        owed: without(state.owed),
        refunded,
        sold: state.sold,
      });
    }
    default:
      return unknown(domainEvent);
  }
};

const outcomeOf = (
  saleFields: Omit<Sale, 'status'>,
  outcome: Pick<FulfilledSale, 'unlocked' | 'owed' | 'refunded' | 'sold'>,
): FulfilledSale => {
  const isRefunded = outcome.unlocked.length === 0 && outcome.owed.length === 0;
  return { ...saleFields, ...outcome, status: isRefunded ? 'refunded' : 'fulfilled' };
};

const unknown = (value: never): never => {
  throw new Error(`unknown checkout command or fact ${JSON.stringify(value)}`);
};
