import type { RpcContext } from '@almanac/bus/server';
import type { commerceRpc, InputOf, OutputOf } from '@almanac/contracts';
import type { CommerceContext } from '../commerce-deps.js';

/** Changes a plan for the operator, without a payment. */
export const changePlan = async (
  { accounts }: CommerceContext,
  input: InputOf<typeof commerceRpc.changePlan>,
  context: RpcContext,
): Promise<OutputOf<typeof commerceRpc.changePlan>> => {
  const { plan: before } = await accounts.load(input.account);
  const command = { type: 'change-plan', plan: input.plan } as const;
  const { account, plan } = await accounts.run(input.account, command, { timeoutMs: context.remainingMs });
  return { account, plan, before };
};
