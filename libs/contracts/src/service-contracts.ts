import { catalogRpc } from './catalog-rpc.js';
import { commerceRpc } from './commerce-rpc.js';
import { exportRpc } from './export-rpc.js';
import { keysRpc } from './keys.js';
import { streamsRpc } from './operator.js';
import type { Contract, Contracts } from './rpc.js';
import type { ServiceName } from './services.js';
import { timeseriesRpc } from './timeseries.js';
import { webhooksRpc } from './webhooks.js';

/** What each service answers, in addition to `streamsRpc`. */
export const serviceContracts = {
  catalog: catalogRpc,
  commerce: commerceRpc,
  export: exportRpc,
  keys: keysRpc,
  timeseries: timeseriesRpc,
  webhooks: webhooksRpc,
} satisfies Record<ServiceName, Contracts>;

/** Every contract of every service. */
export const allContracts: readonly Contract[] = [...Object.values<Contracts>(serviceContracts), streamsRpc].flatMap(
  (contracts) => Object.values(contracts),
);
