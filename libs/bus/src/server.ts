export type { Handler, Handlers } from './rpc/handlers.js';
export type { RpcContext } from './rpc/rpc-context.js';
export { serveContracts, serveService } from './rpc/serve-contracts.js';
