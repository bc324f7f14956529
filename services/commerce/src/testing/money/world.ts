import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { subjects } from '@almanac/bus';
import {
  type CheckoutResponse,
  defaultPlans,
  DomainError,
  type ErrorCode,
  type PaymentMode,
  type StoredEvent,
} from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import { memoryStore } from '@almanac/event-store/testing';
import { createAccounts } from '../../account/accounts.js';
import { addToCart, removeFromCart } from '../../cart/cart.js';
import { checkOut } from '../../checkout/check-out.js';
import type { Ask, Shop } from '../../parts.js';
import { upgradePlan } from '../../upgrade/upgrade.js';
import { Bank } from './bank.js';
import { check } from './check.js';
import {
  accounts,
  endExport,
  events,
  type Fuse,
  hourUs,
  react,
  record,
  refund,
  reserve,
  type Step,
  sweep,
  tellNews,
} from './steps.js';

class CrashError extends Error {}

const expected: readonly ErrorCode[] = [
  'cart_empty',
  'conflict',
  'not_an_upgrade',
  'idempotency_conflict',
  'payment_required',
  'export_pending_limit',
  'export_daily_limit',
];

const askOf = (account: string): Ask => ({ account, leftMs: () => 10_000 });

/** When the first request under a key may have left something, and its answer. */
interface KeyedAnswer {
  readonly fromUs: number;
  readonly toUs: number;
  readonly answer?: unknown;
}

/** Two accounts that buy four events, in memory: the code of the service, with a clock and crashes of the test's. */
export class MoneyWorld {
  private readonly memory = memoryStore();
  private readonly bank: Bank;
  private readonly shop: Shop;
  private readonly waiting: (() => Promise<unknown>)[] = [];
  private readonly answers = new Map<string, KeyedAnswer>();
  private readonly unsure = new Set<string>();
  private clockUs = Date.UTC(2026, 0, 1) * 1_000;
  private terms = { plans: defaultPlans, eventPrice: 500, credits: 1 };
  private effectsLeft = Number.POSITIVE_INFINITY;
  private lastIsDone = false;

  constructor(private readonly mode: PaymentMode) {
    const nowUs = (): number => (this.clockUs += 1);
    this.bank = new Bank(nowUs, () => this.burn());
    const store = this.store();
    const termsNow = () => this.terms;
    this.shop = {
      store,
      accounts: createAccounts(store, nowUs),
      payments: mode === 'stub' ? { mode } : this.bank,
      get terms() {
        return termsNow();
      },
      nowUs,
    };
  }

  async open(): Promise<void> {
    for (const event of events) await record(this.memory, subjects.event(event), { event_ticker: event });
    for (const account of accounts) {
      await this.shop.accounts.run(account, { type: 'open', plan: 'free', credits: 1 }, { timeoutMs: 1_000 });
    }
  }

  /** Runs steps at once; a crash in one of them is forgiven, any other surprise is thrown. */
  async run(steps: readonly Step[], fuse?: Fuse): Promise<void> {
    this.effectsLeft = fuse?.after ?? Number.POSITIVE_INFINITY;
    this.lastIsDone = fuse?.isDone ?? false;
    await Promise.all(steps.map((step) => this.forgiving(() => this.perform(step))));
    this.effectsLeft = Number.POSITIVE_INFINITY;
  }

  /** Everything that is under way comes to its end, as it does when nothing crashes for some days. */
  async recover(): Promise<void> {
    const { shop, bank, memory } = this;
    for (let round = 0; round < 3; round += 1) {
      this.clockUs += 24 * hourUs;
      bank.closeLate();
      for (const work of this.waiting) await work();
      for (const account of accounts) {
        await tellNews(shop, bank, account);
        const { reservations } = await shop.accounts.load(account);
        for (const id of Object.keys(reservations)) {
          await endExport(shop, memory, { account, id, ready: id.length % 2 === 0 });
        }
      }
      await react(shop, memory);
      await sweep(shop);
    }
  }

  check(): Promise<void> {
    return check(this.shop, { bank: this.bank, memory: this.memory, mode: this.mode });
  }

  private store(): EventStore {
    return {
      load: async (subject, state) => {
        // Others get their turn, as they do on a network.
        await turn();
        return this.memory.load(subject, state);
      },
      append: async (subject: string, event: StoredEvent, expectedSeq: number) => {
        if (this.effectsLeft === 0 && !this.lastIsDone) throw new CrashError('before an event');
        const seq = await this.memory.append(subject, event, expectedSeq);
        this.burn();
        return seq;
      },
    };
  }

  private burn(): void {
    this.effectsLeft -= 1;
    if (this.effectsLeft < 0) throw new CrashError('after an effect');
  }

  private async perform(step: Step): Promise<void> {
    const { shop, bank, memory } = this;
    switch (step.do) {
      case 'add':
        return void (await addToCart(shop, askOf(step.account), step.event));
      case 'remove':
        return void (await removeFromCart(shop, askOf(step.account), step.event));
      case 'check-out':
        return this.repeated(step.key && `${step.account} buys ${step.key}`, () =>
          this.checkOut(step.account, step.key),
        );
      case 'upgrade':
        return this.repeated(step.key && `${step.account} wants ${step.plan} ${step.key}`, () =>
          upgradePlan(shop, askOf(step.account), step),
        );
      case 'pay':
        return bank.payOn(step.account);
      case 'tell-news':
        return tellNews(shop, bank, step.account);
      case 'refund':
        return refund(shop, { bank, waiting: this.waiting }, step);
      case 'export':
        return reserve(shop, step);
      case 'end-export':
        return endExport(shop, memory, step);
      case 'change-price':
        this.terms = { ...this.terms, eventPrice: step.price };
        return undefined;
      case 'wait':
        this.clockUs += step.hours * hourUs;
        return undefined;
      case 'react':
        return react(shop, memory);
      case 'sweep':
        return sweep(shop);
      default:
        return unknown(step);
    }
  }

  private async checkOut(account: string, key: string | undefined): Promise<CheckoutResponse> {
    const answer = await checkOut(this.shop, askOf(account), key);
    if (answer.checkout_url !== null) this.bank.show(answer.checkout_url);
    return answer;
  }

  /** The same key has the same answer for a day, and then a new one. */
  private async repeated(name: string | undefined, work: () => Promise<unknown>): Promise<void> {
    if (name === undefined || this.unsure.has(name)) return void (await work());
    const beganUs = this.clockUs;
    const known = this.answers.get(name);
    // Its day begins with a request that left something, which may have died without an answer.
    const first: KeyedAnswer =
      known !== undefined && beganUs - known.toUs < 25 * hourUs ? known : { fromUs: beganUs, toUs: beganUs };
    this.answers.set(name, { ...first, toUs: 'answer' in first ? first.toUs : beganUs });
    const answer = await work();
    // The clock may jump while a request runs: which day that belongs to is anybody's guess.
    const isSure = this.clockUs - beganUs < hourUs && this.clockUs - first.fromUs < 23 * hourUs;
    if (!isSure) this.unsure.add(name);
    else if ('answer' in first) assert.deepEqual(answer, first.answer, name);
    else this.answers.set(name, { fromUs: first.fromUs, toUs: this.clockUs, answer });
  }

  private async forgiving(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof CrashError) return;
      if (!(error instanceof DomainError) || !expected.includes(error.code)) throw error;
    }
  }
}

const unknown = (step: never): never => {
  throw new Error(`unknown step ${JSON.stringify(step)}`);
};
