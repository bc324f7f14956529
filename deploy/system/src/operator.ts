import { randomUUID } from 'node:crypto';
import { type Bus, connectBus, rpcClient } from '@almanac/bus';
import { commerceRpc, DomainError, keysRpc, type PlanId } from '@almanac/contracts';
import { newAccountId } from '@almanac/runtime';

/** How the operator's commands reach the system. */
export interface OperatorConnection {
  readonly url: string;
  readonly password?: string;
}

export const connectOperator = ({ url, password }: OperatorConnection): Promise<Bus> =>
  connectBus({ url, user: 'operator', ...(password === undefined ? {} : { password }), connectTimeoutMs: 5_000 });

/** Opens an account with a first key. The secret is in the answer only, never stored. */
export const createAccount = async (
  bus: Bus,
  { plan, keyName }: { plan: PlanId; keyName: string },
): Promise<{ account: string; key: string }> => {
  const client = rpcClient(bus);
  const account = newAccountId();
  const context = { requestId: randomUUID(), account };
  await client.call(commerceRpc.openAccount, { input: { account, plan }, context });
  const { secret } = await client.call(keysRpc.create, { input: { name: keyName }, context });
  if (secret === null) throw new DomainError('internal', 'The key of a new account was created before.');
  return { account, key: secret };
};
