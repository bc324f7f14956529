import { Rpc, type RpcContext } from '@almanac/bus/server';
import { commerceRpc, planIds } from '@almanac/contracts';
import { Controller, Inject } from '@nestjs/common';
import type { z } from 'zod';
import { PERSONS, type CommerceContext, COMMERCE_CONTEXT } from '../commerce-deps.js';
import { accountNamed, eraseAccount } from './erase-account.command.js';
import { openAccount } from './open-account.command.js';
import type { PersonRecords } from './person-records.js';

type InputOf<Method extends keyof typeof commerceRpc> = z.output<(typeof commerceRpc)[Method]['input']>;
type OutputOf<Method extends keyof typeof commerceRpc> = z.input<(typeof commerceRpc)[Method]['output']>;

/** Only the operator's command line may call these. */
@Controller()
export class OperatorController {
  constructor(
    @Inject(COMMERCE_CONTEXT) private readonly commerce: CommerceContext,
    @Inject(PERSONS) private readonly persons: PersonRecords,
  ) {}

  @Rpc(commerceRpc.openAccount)
  async openAccount(input: InputOf<'openAccount'>, context: RpcContext): Promise<OutputOf<'openAccount'>> {
    const opening = { ...input, person: input.person ?? null, timeoutMs: context.remainingMs };
    const { account, plan } = await openAccount(this.commerce, this.persons, opening);
    return { account, plan };
  }

  @Rpc(commerceRpc.findAccount)
  async findAccount(name: InputOf<'findAccount'>): Promise<OutputOf<'findAccount'>> {
    const account = await accountNamed(this.persons, name);
    const [state, person] = await Promise.all([this.commerce.accounts.load(account), this.persons.personOf(account)]);
    return { state, person };
  }

  @Rpc(commerceRpc.listPlans)
  listPlans(): OutputOf<'listPlans'> {
    return { plans: planIds.map((id) => ({ id, terms: this.commerce.terms.plans[id] })) };
  }

  @Rpc(commerceRpc.changePlan)
  async changePlan(input: InputOf<'changePlan'>, context: RpcContext): Promise<OutputOf<'changePlan'>> {
    const { accounts } = this.commerce;
    const { plan: before } = await accounts.load(input.account);
    const command = { type: 'change-plan', plan: input.plan } as const;
    const { account, plan } = await accounts.run(input.account, command, { timeoutMs: context.remainingMs });
    return { account, plan, before };
  }

  @Rpc(commerceRpc.eraseAccount)
  eraseAccount(name: InputOf<'eraseAccount'>, context: RpcContext): Promise<OutputOf<'eraseAccount'>> {
    return eraseAccount({ commerce: this.commerce, persons: this.persons, timeoutMs: context.remainingMs }, name);
  }
}
