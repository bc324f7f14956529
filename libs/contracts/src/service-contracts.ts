import { catalogRpc } from './catalog/catalog-rpc.js';
import { commerceRpc } from './commerce/commerce-rpc.js';
import { exportRpc } from './export/export-rpc.js';
import { keysRpc } from './keys/keys.js';
import { streamsRpc } from './operator/operator.js';
import type { Contract, Contracts } from './requests/rpc.js';
import type { ServiceName } from './services.js';
import { timeseriesRpc } from './timeseries/timeseries.js';
import { webhooksRpc } from './webhooks/webhooks.js';

export * from './catalog/catalog-rpc.js';
export * from './commerce/commerce-rpc.js';
export * from './export/export-rpc.js';
export * from './keys/keys.js';
export * from './operator/operator.js';
export * from './timeseries/timeseries.js';
export * from './webhooks/webhooks.js';

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
