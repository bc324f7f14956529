import assert from 'node:assert/strict';
import type { HostedSession } from '@almanac/contracts';
import type { HostedPayments } from '../../payments.js';

type CallArgs<Method extends 'openCheckout' | 'openSubscription' | 'refund'> = Parameters<HostedPayments[Method]>[0];

interface Page {
  readonly account: string;
  readonly args: string;
  readonly amount: number;
  readonly session: HostedSession;
  readonly payment: string | undefined;
  readonly open: boolean;
}

const pageTtlUs = 6 * 3_600e6;

/**
 * A payment provider in memory. It counts every cent, and accepts an idempotency key with one set of arguments only. It
 * calls `step` in each call: a crash there leaves the call done and its answer lost.
 */
export class PaymentProviderStub implements HostedPayments {
  readonly mode = 'stripe';
  private readonly pages = new Map<string, Page>();
  private readonly balances = new Map<string, number>();
  private readonly refunds = new Map<string, string>();
  private readonly shown = new Set<string>();

  constructor(
    private readonly nowUs: () => number,
    private readonly step: () => void,
  ) {}

  async createCustomer(account: string): Promise<string> {
    this.step();
    return `cus_${account}`;
  }

  async deleteCustomer(): Promise<void> {
    this.step();
  }

  async openCheckout({ id, account, customerId, lines, startedUs }: CallArgs<'openCheckout'>): Promise<HostedSession> {
    const amount = lines.reduce((sum, { price }) => sum + price, 0);
    return this.open(id, { account, amount, args: JSON.stringify([customerId, lines, startedUs]), startedUs });
  }

  async openSubscription({
    id,
    account,
    plan,
    price,
    startedUs,
  }: CallArgs<'openSubscription'>): Promise<HostedSession> {
    return this.open(id, { account, amount: 0, args: JSON.stringify([plan, price]), startedUs });
  }

  async openPortal(): Promise<string> {
    return 'https://portal.example';
  }

  async expireCheckout(session: HostedSession): Promise<'expired' | { readonly payment: string }> {
    const [id, page] = [...this.pages].find(([, one]) => one.session.id === session.id) ?? [];
    assert.ok(id !== undefined && page !== undefined, 'only what was opened is closed');
    this.step();
    if (page.payment !== undefined) return { payment: page.payment };
    this.pages.set(id, { ...page, open: false });
    return 'expired';
  }

  async refund({ id, payment, amount, checkoutId }: CallArgs<'refund'>): Promise<void> {
    const page = this.pages.get(checkoutId);
    assert.ok(page?.payment === payment, 'only what was paid is given back');
    this.once(id, JSON.stringify([payment, amount]), () => this.move(page.account, -amount));
    this.step();
  }

  /** The payments of an account minus its refunds. */
  balanceOf(account: string): number {
    return this.balances.get(account) ?? 0;
  }

  /** Marks a page as shown. Other pages cannot be paid. */
  show(url: string): void {
    this.shown.add(url);
  }

  /** Pays the oldest page that can still be paid, if there is one. */
  payOn(account: string): void {
    const [id, page] =
      [...this.pages].find(
        ([, one]) => one.account === account && one.amount > 0 && this.shown.has(one.session.url) && this.isOpen(one),
      ) ?? [];
    if (id === undefined || page === undefined) return;
    this.pages.set(id, { ...page, payment: `pi_${id}`, open: false });
    this.move(account, page.amount);
  }

  /** Refunds a line once, as in the provider's dashboard. */
  giveBack(account: string, { id, event, price }: { id: string; event: string; price: number }): void {
    this.once(`${id} ${event}`, String(price), () => this.move(account, -price));
  }

  closeLate(): void {
    for (const [id, page] of this.pages) if (!this.isOpen(page)) this.pages.set(id, { ...page, open: false });
  }

  /** All webhooks for the checkouts of an account, on every call. */
  webhooksOf(account: string): { readonly id: string; readonly payment: string | undefined }[] {
    return [...this.pages]
      .filter(([, page]) => page.account === account && page.amount > 0 && !page.open)
      .map(([id, { payment }]) => ({ id, payment }));
  }

  private open(
    id: string,
    { startedUs, ...page }: Pick<Page, 'account' | 'amount' | 'args'> & { startedUs: number },
  ): HostedSession {
    const known = this.pages.get(id);
    assert.equal(known?.args ?? page.args, page.args, 'one idempotency key has one set of arguments');
    const session = { id: `cs_${id}`, url: `https://pay.example/${id}`, expires_us: startedUs + pageTtlUs };
    if (known === undefined) this.pages.set(id, { ...page, session, payment: undefined, open: true });
    this.step();
    return session;
  }

  private isOpen({ open, session }: Page): boolean {
    return open && session.expires_us > this.nowUs();
  }

  private once(id: string, args: string, work: () => void): void {
    assert.equal(this.refunds.get(id) ?? args, args, 'one idempotency key has one set of arguments');
    if (!this.refunds.has(id)) work();
    this.refunds.set(id, args);
  }

  private move(account: string, amount: number): void {
    this.balances.set(account, this.balanceOf(account) + amount);
  }
}
