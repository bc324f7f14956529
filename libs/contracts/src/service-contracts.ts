import { catalogRpc } from './catalog-rpc.js';
import { commerceRpc } from './commerce-rpc.js';
import { exportRpc } from './export-rpc.js';
import { keysRpc } from './keys.js';
import type { Contracts, ServiceName } from './rpc.js';
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
