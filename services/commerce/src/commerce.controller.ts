import { randomUUID } from 'node:crypto';
import { Rpc, type RpcContext, subjects } from '@almanac/bus';
import {
  type AccountState,
  accountState,
  commerceRpc,
  DomainError,
  keyringState,
  secondsOf,
  unlockState,
} from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import { Controller, Inject } from '@nestjs/common';
import type { z } from 'zod';
import { accountDecider, type AccountCommand, dayOf, nextDayUs } from './account/account.decider.js';
import { STORE, TERMS, type Terms } from './parts.js';

type InputOf<Method extends keyof typeof commerceRpc> = z.output<(typeof commerceRpc)[Method]['input']>;
type OutputOf<Method extends keyof typeof commerceRpc> = z.input<(typeof commerceRpc)[Method]['output']>;

@Controller()
export class CommerceController {
  constructor(
    @Inject(STORE) private readonly store: EventStore,
    @Inject(TERMS) private readonly terms: Terms,
  ) {}

  @Rpc(commerceRpc.openAccount)
  async openAccount(input: InputOf<'openAccount'>, context: RpcContext): Promise<OutputOf<'openAccount'>> {
    const command = { type: 'open', plan: input.plan, credits: this.terms.credits } as const;
    const { account, plan } = await this.run(input.account, command, context);
    return { account, plan };
  }

  @Rpc(commerceRpc.reserve)
  async reserve(input: InputOf<'reserve'>, context: RpcContext): Promise<OutputOf<'reserve'>> {
    const command = {
      type: 'reserve',
      exportId: input.export_id,
      events: input.events,
      dayPack: input.day_pack,
      l2: input.l2,
      unlocked: await this.areUnlocked(context.caller, input.events),
      now: { us: Date.now() * 1_000, plans: this.terms.plans },
    } as const;
    const state = await this.run(context.caller, command, context);
    const reservation = state.reservations[input.export_id];
    if (reservation === undefined) throw new Error(`no reservation of ${input.export_id} after reserving it`);
    return { grant: reservation.grant };
  }

  @Rpc(commerceRpc.plan)
  async plan(_input: InputOf<'plan'>, context: RpcContext): Promise<OutputOf<'plan'>> {
    const [loaded, keyring] = await Promise.all([
      this.store.load(subjects.account(context.caller), accountState),
      this.store.load(subjects.keyring(context.caller), keyringState),
    ]);
    if (loaded === undefined) throw new DomainError('internal', 'This account does not exist.');
    const keys = keyring?.state.keys.filter((key) => key.revoked_us === null).length ?? 0;
    return this.present(loaded.state, keys);
  }

  private present(state: AccountState, keys: number): OutputOf<'plan'> {
    const terms = this.terms.plans[state.plan];
    const nowUs = Date.now() * 1_000;
    const { day, count } = state.exports_today;
    return {
      plan: { id: state.plan, name: terms.name, price: { amount: terms.price, currency: 'USD' } },
      entitlements: {
        api_keys: { limit: terms.apiKeys, used: keys },
        requests_per_minute: terms.requestsPerMinute,
        exports_per_day: {
          limit: terms.exportsPerDay,
          used: day === dayOf(nowUs) ? count : 0,
          resets_ts: secondsOf(nextDayUs(nowUs)) ?? 0,
        },
        exports_pending: { limit: terms.exportsPending, used: Object.keys(state.reservations).length },
        export_included: terms.exportIncluded,
        l2_export: terms.l2Export,
        full_book: terms.fullBook,
      },
      free_export_credit: {
        granted: state.credits_granted,
        used: state.credits_used,
        remaining: state.credits_granted - state.credits_used,
      },
    };
  }

  /** Whether each of the events is unlocked for good; a claim on no event is not. */
  private async areUnlocked(account: string, events: readonly string[]): Promise<boolean> {
    for (const event of events) {
      if ((await this.store.load(subjects.unlock(account, event), unlockState)) === undefined) return false;
    }
    return events.length > 0;
  }

  private async run(account: string, command: AccountCommand, context: RpcContext): Promise<AccountState> {
    const outcome = await execute(this.store, accountDecider(account), {
      subject: subjects.account(account),
      command,
      id: randomUUID(),
      account,
      time: Date.now() * 1_000,
      timeoutMs: context.remainingMs,
    });
    if (outcome === undefined) throw new Error('an account command left no account');
    return outcome.state;
  }
}
