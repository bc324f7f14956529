export type { Handler, Handlers } from './handlers.js';
export type { RpcContext } from './rpc-context.js';
export { serveContracts, serveService } from './serve-contracts.js';
