import type { RpcContext } from '@almanac/bus/server';
import type { InputOf, keysRpc, OutputOf } from '@almanac/contracts';
import { unixMicros } from '@almanac/runtime';
import type { KeysDeps } from '../keys-deps.js';
import { runCommand } from './keyrings.js';

export const endSession = async (
  deps: KeysDeps,
  { key_id: keyId, session }: InputOf<typeof keysRpc.endSession>,
  context: RpcContext,
): Promise<OutputOf<typeof keysRpc.endSession>> => {
  const command = { type: 'end-session', keyId, session, us: unixMicros() } as const;
  return { ended: (await runCommand(deps, command, context))?.changed ?? false };
};
