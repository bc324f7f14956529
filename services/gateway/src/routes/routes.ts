import { accountRoutes } from './account.routes.js';
import { billingRoutes } from './billing.routes.js';
import { cartRoutes } from './cart.routes.js';
import { catalogRoutes } from './catalog.routes.js';
import { exportRoutes } from './exports.routes.js';
import { operatorRoutes } from './operator.routes.js';
import { researchRoutes } from './research.routes.js';
import type { Route } from './route.js';
import { timeseriesRoutes } from './timeseries.routes.js';
import { webhookRoutes } from './webhooks.routes.js';

/** All endpoints. A path with a literal segment comes before one with a parameter in that place. */
export const routes: readonly Route[] = [
  ...researchRoutes,
  ...catalogRoutes,
  ...timeseriesRoutes,
  ...exportRoutes,
  ...cartRoutes,
  ...billingRoutes,
  ...accountRoutes,
  ...webhookRoutes,
  ...operatorRoutes,
];
