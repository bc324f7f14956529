import type { Handlers } from '@almanac/bus/server';
import type { keysRpc } from '@almanac/contracts';
import { authenticate, checkKey } from './keyring/authenticate.query.js';
import { createKey } from './keyring/create-key.command.js';
import { endSession } from './keyring/end-session.command.js';
import type { KeysDeps } from './keys-deps.js';
import { listKeys } from './keyring/list-keys.query.js';
import { revokeKey } from './keyring/revoke-key.command.js';

export const keysController = (deps: KeysDeps): Handlers<typeof keysRpc> => ({
  authenticate: (input) => authenticate(deps, input),
  checkKey: (input) => checkKey(deps, input),
  endSession: (input, context) => endSession(deps, input, context),
  list: (input, context) => listKeys(deps, input, context),
  create: (input, context) => createKey(deps, input, context),
  revoke: (input, context) => revokeKey(deps, input, context),
});
