import type { CheckoutLine, HostedSession, SoldPlanId } from '@almanac/contracts';

/**
 * Who takes the money. `stub`: nobody, what is asked for is had at once. `stripe`: a payment provider with pages of its
 * own, whose word of what was paid comes later.
 */
export type Payments = { readonly mode: 'stub' } | HostedPayments;

/** What became of a page that was to be closed: it was paid before, by the payment of this id. */
export type Closed = 'expired' | { readonly payment: string | null };

/**
 * A payment provider. Every call may be made again after a crash, with the same ids and the same arguments, and then
 * does nothing twice: the ids below are its idempotency keys. Throws `unavailable` when the provider does not answer.
 */
export interface HostedPayments {
  readonly mode: 'stripe';
  /** The provider's id of an account, made at the first call; a new one after each time that it was deleted. */
  createCustomer(account: string, deletions?: number): Promise<string>;
  /** A page that sells these lines at these prices, no others. */
  openCheckout(sale: {
    readonly id: string;
    readonly account: string;
    readonly customerId: string;
    readonly lines: readonly CheckoutLine[];
    /** Integer microseconds: what depends on a time depends on this one, so that it is the same when asked again. */
    readonly startedUs: number;
  }): Promise<HostedSession>;
  /** Closes a page, so that nobody can pay on it any more, or tells that somebody has. */
  expireCheckout(session: HostedSession): Promise<Closed>;
  /** Gives the price of one line back; `id` is of the refund. */
  refund(refund: {
    readonly id: string;
    readonly payment: string;
    readonly amount: number;
    readonly checkoutId: string;
    readonly event: string;
  }): Promise<void>;
  /** A page that begins a subscription; one that there is ends when this one is paid. */
  openSubscription(upgrade: {
    readonly id: string;
    readonly account: string;
    readonly customerId: string;
    readonly plan: SoldPlanId;
    /** For a person. */
    readonly planName: string;
    readonly price: number;
    readonly startedUs: number;
  }): Promise<HostedSession>;
  /** The address of the customer's own page: cards, invoices, cancelling. */
  openPortal(customerId: string): Promise<string>;
  /** Ends what the customer subscribes to, and forgets the person. */
  deleteCustomer(customerId: string): Promise<void>;
}
