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
import { addToCart, removeFromCart } from '../../cart/change-cart.command.js';
import { checkOut } from '../../checkout/check-out.command.js';
import type { CommandContext, CommerceContext } from '../../commerce-deps.js';
import { upgradePlan } from '../../upgrade/upgrade.command.js';
import { PaymentProviderStub } from './payment-provider-stub.js';
import { check } from './invariants.js';
import {
  accounts,
  endExport,
  events,
  type CrashPoint,
  hourUs,
  react,
  record,
  refund,
  reserve,
  type Operation,
  sweep,
  deliverWebhooks,
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

const contextOf = (account: string): CommandContext => ({ account, remainingMs: () => 10_000 });

/** When the first request under a key may have had an effect, and its answer. */
interface KeyedAnswer {
  readonly fromUs: number;
  readonly toUs: number;
  readonly answer?: unknown;
}

/**
 * Two accounts that buy four events, in memory: the real code of the service with a simulated clock and simulated
 * crashes.
 */
export class MoneyModel {
  private readonly memory = memoryStore();
  private readonly provider: PaymentProviderStub;
  private readonly commerce: CommerceContext;
  private readonly waiting: (() => Promise<unknown>)[] = [];
  private readonly answers = new Map<string, KeyedAnswer>();
  private readonly uncertainKeys = new Set<string>();
  private clockUs = Date.UTC(2026, 0, 1) * 1_000;
  private terms = { plans: defaultPlans, eventPrice: 500, credits: 1 };
  private effectsLeft = Number.POSITIVE_INFINITY;
  private lastIsDone = false;

  constructor(private readonly mode: PaymentMode) {
    const nowUs = (): number => (this.clockUs += 1);
    this.provider = new PaymentProviderStub(nowUs, () => this.countEffect());
    const store = this.store();
    const termsNow = () => this.terms;
    this.commerce = {
      store,
      accounts: createAccounts(store, nowUs),
      payments: mode === 'stub' ? { mode } : this.provider,
      get terms() {
        return termsNow();
      },
      nowUs,
    };
  }

  async open(): Promise<void> {
    for (const event of events) await record(this.memory, subjects.event(event), { event_ticker: event });
    for (const account of accounts) {
      await this.commerce.accounts.run(account, { type: 'open', plan: 'free', credits: 1 }, { timeoutMs: 1_000 });
    }
  }

  /** Runs steps concurrently. Ignores a simulated crash in one of them, and throws any other error. */
  async run(steps: readonly Operation[], crashPoint?: CrashPoint): Promise<void> {
    this.effectsLeft = crashPoint?.after ?? Number.POSITIVE_INFINITY;
    this.lastIsDone = crashPoint?.isDone ?? false;
    await Promise.all(steps.map((step) => this.ignoreRefusals(() => this.perform(step))));
    this.effectsLeft = Number.POSITIVE_INFINITY;
  }

  /** Completes all work in progress, as days without a crash would. */
  async recover(): Promise<void> {
    const { commerce, provider, memory } = this;
    for (let round = 0; round < 3; round += 1) {
      this.clockUs += 24 * hourUs;
      provider.closeLate();
      for (const work of this.waiting) await work();
      for (const account of accounts) {
        await deliverWebhooks(commerce, provider, account);
        const { reservations } = await commerce.accounts.load(account);
        for (const id of Object.keys(reservations)) {
          await endExport(commerce, memory, { account, id, ready: id.length % 2 === 0 });
        }
      }
      await react(commerce, memory);
      await sweep(commerce);
    }
  }

  check(): Promise<void> {
    return check(this.commerce, { provider: this.provider, memory: this.memory, mode: this.mode });
  }

  private store(): EventStore {
    const load: EventStore['load'] = async (subject, state) => {
      // Lets other steps run, as a network would.
      await turn();
      return this.memory.load(subject, state);
    };
    return {
      load,
      confirmed: (_subject, _state, loaded) => Promise.resolve(loaded),
      loadToShow: load,
      append: async (subject: string, event: StoredEvent, expectedSeq: number) => {
        if (this.effectsLeft === 0 && !this.lastIsDone) throw new CrashError('before an event');
        const result = await this.memory.append(subject, event, expectedSeq);
        this.countEffect();
        return result;
      },
    };
  }

  private countEffect(): void {
    this.effectsLeft -= 1;
    if (this.effectsLeft < 0) throw new CrashError('after an effect');
  }

  private async perform(step: Operation): Promise<void> {
    const { commerce, provider, memory } = this;
    switch (step.do) {
      case 'add':
        return void (await addToCart(commerce, contextOf(step.account), step.event));
      case 'remove':
        return void (await removeFromCart(commerce, contextOf(step.account), step.event));
      case 'check-out':
        return this.repeated(step.key && `${step.account} buys ${step.key}`, () =>
          this.checkOut(step.account, step.key),
        );
      case 'upgrade':
        return this.repeated(step.key && `${step.account} wants ${step.plan} ${step.key}`, () =>
          upgradePlan(commerce, contextOf(step.account), step),
        );
      case 'pay':
        return provider.payOn(step.account);
      case 'tell-news':
        return deliverWebhooks(commerce, provider, step.account);
      case 'refund':
        return refund(commerce, { provider, waiting: this.waiting }, step);
      case 'export':
        return reserve(commerce, step);
      case 'end-export':
        return endExport(commerce, memory, step);
      case 'change-price':
        this.terms = { ...this.terms, eventPrice: step.price };
        return undefined;
      case 'wait':
        this.clockUs += step.hours * hourUs;
        return undefined;
      case 'react':
        return react(commerce, memory);
      case 'sweep':
        return sweep(commerce);
      default:
        return unknown(step);
    }
  }

  private async checkOut(account: string, key: string | undefined): Promise<CheckoutResponse> {
    const answer = await checkOut(this.commerce, contextOf(account), key);
    if (answer.checkout_url !== null) this.provider.show(answer.checkout_url);
    return answer;
  }

  /** The same key returns the same answer for a day, and a new one afterwards. */
  private async repeated(name: string | undefined, work: () => Promise<unknown>): Promise<void> {
    if (name === undefined || this.uncertainKeys.has(name)) return void (await work());
    const beganUs = this.clockUs;
    const known = this.answers.get(name);
    // The day starts with a request that had an effect, even if it crashed without an answer.
    const first: KeyedAnswer =
      known !== undefined && beganUs - known.toUs < 25 * hourUs ? known : { fromUs: beganUs, toUs: beganUs };
    this.answers.set(name, { ...first, toUs: 'answer' in first ? first.toUs : beganUs });
    const answer = await work();
    // The clock may jump during a request, so its day is uncertain.
    const isCertain = this.clockUs - beganUs < hourUs && this.clockUs - first.fromUs < 23 * hourUs;
    if (!isCertain) this.uncertainKeys.add(name);
    else if ('answer' in first) assert.deepEqual(answer, first.answer, name);
    else this.answers.set(name, { fromUs: first.fromUs, toUs: this.clockUs, answer });
  }

  private async ignoreRefusals(work: () => Promise<unknown>): Promise<void> {
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
