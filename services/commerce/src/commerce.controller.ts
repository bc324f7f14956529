import { subjects } from '@almanac/bus';
import { Rpc, type RpcContext } from '@almanac/bus/server';
import { commerceRpc, keyringState } from '@almanac/contracts';
import { Controller, Inject } from '@nestjs/common';
import type { z } from 'zod';
import { openPortal } from './account/customer.js';
import { type Claim, type ClaimPart, grantsOfParts, remarksOf, type Now, quoteOf } from './account/grants.js';
import { quoteAfterEnds, reserveAfterEnds } from './account/settle-before-refusal.js';
import { planAnswer } from './account/plan.query.js';
import { addToCart, removeFromCart, showCart } from './cart/change-cart.command.js';
import { checkOut } from './checkout/check-out.command.js';
import { commandContextOf, type CommerceContext, COMMERCE_CONTEXT } from './commerce-deps.js';
import { lockedOf } from './unlock/unlocks.js';
import { upgradePlan } from './upgrade/upgrade.command.js';

type InputOf<Method extends keyof typeof commerceRpc> = z.output<(typeof commerceRpc)[Method]['input']>;
type OutputOf<Method extends keyof typeof commerceRpc> = z.input<(typeof commerceRpc)[Method]['output']>;

@Controller()
export class CommerceController {
  constructor(@Inject(COMMERCE_CONTEXT) private readonly commerce: CommerceContext) {}

  @Rpc(commerceRpc.reserve)
  reserve(input: InputOf<'reserve'>, context: RpcContext): Promise<OutputOf<'reserve'>> {
    return reserveAfterEnds(this.commerce, context.caller, () => this.reserveOnce(input, context));
  }

  @Rpc(commerceRpc.quote)
  quote(input: InputOf<'quote'>, { caller }: RpcContext): Promise<OutputOf<'quote'>> {
    return quoteAfterEnds(this.commerce, caller, async () => {
      const [state, claim] = await Promise.all([this.commerce.accounts.load(caller), this.claimOf(caller, input)]);
      return quoteOf(claim, state, this.now());
    });
  }

  @Rpc(commerceRpc.plan)
  async plan(_input: InputOf<'plan'>, context: RpcContext): Promise<OutputOf<'plan'>> {
    const [state, keyring] = await Promise.all([
      this.commerce.accounts.load(context.caller),
      this.commerce.store.load(subjects.keyring(context.caller), keyringState),
    ]);
    const keys = keyring?.state.keys.filter((key) => key.revoked_us === null).length ?? 0;
    return planAnswer(state, { keys, plans: this.commerce.terms.plans, nowUs: this.commerce.nowUs() });
  }

  @Rpc(commerceRpc.cart)
  cart(_input: InputOf<'cart'>, context: RpcContext): Promise<OutputOf<'cart'>> {
    return showCart(this.commerce, commandContextOf(context));
  }

  @Rpc(commerceRpc.addToCart)
  addToCart({ event }: InputOf<'addToCart'>, context: RpcContext): Promise<OutputOf<'addToCart'>> {
    return addToCart(this.commerce, commandContextOf(context), event);
  }

  @Rpc(commerceRpc.removeFromCart)
  removeFromCart({ event_id }: InputOf<'removeFromCart'>, context: RpcContext): Promise<OutputOf<'removeFromCart'>> {
    return removeFromCart(this.commerce, commandContextOf(context), event_id);
  }

  @Rpc(commerceRpc.checkout)
  checkout({ idempotency_key }: InputOf<'checkout'>, context: RpcContext): Promise<OutputOf<'checkout'>> {
    return checkOut(this.commerce, commandContextOf(context), idempotency_key ?? undefined);
  }

  @Rpc(commerceRpc.upgrade)
  upgrade({ tier_id, idempotency_key }: InputOf<'upgrade'>, context: RpcContext): Promise<OutputOf<'upgrade'>> {
    return upgradePlan(this.commerce, commandContextOf(context), { plan: tier_id, key: idempotency_key ?? undefined });
  }

  @Rpc(commerceRpc.portal)
  portal(_input: InputOf<'portal'>, context: RpcContext): Promise<OutputOf<'portal'>> {
    return openPortal(this.commerce, context.caller);
  }

  private async reserveOnce(input: InputOf<'reserve'>, context: RpcContext): Promise<OutputOf<'reserve'>> {
    const claim = await this.claimOf(context.caller, input);
    const now = this.now();
    const command = { type: 'reserve', exportId: input.export_id, ...claim, now } as const;
    const state = await this.commerce.accounts.run(context.caller, command, { timeoutMs: context.remainingMs });
    const reservation = state.reservations[input.export_id];
    if (reservation === undefined) throw new Error(`no reservation of ${input.export_id} after reserving it`);
    const { grant } = reservation;
    const remarks = remarksOf(claim, grant, now.plans[state.plan]);
    return { grant, parts: claim.split ? grantsOfParts(claim, state, now) : [], remarks };
  }

  private now(): Now {
    const { terms, nowUs } = this.commerce;
    return { us: nowUs(), plans: terms.plans, eventPrice: terms.eventPrice };
  }

  private async claimOf(account: string, { day_pack, l2, split, parts, ...all }: InputOf<'quote'>): Promise<Claim> {
    const distinct = [...new Set([...all.events, ...parts.flatMap(({ events }) => events)])];
    const locked = new Set(await lockedOf(this.commerce.store, account, distinct));
    const partOf = ({ events, plan_only }: { events: string[]; plan_only: boolean }): ClaimPart => ({
      events,
      locked: [...new Set(events)].filter((event) => locked.has(event)),
      planOnly: plan_only,
    });
    return { ...partOf(all), dayPack: day_pack, l2, parts: parts.map(partOf), split };
  }
}
