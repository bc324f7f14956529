export type { Handler, Handlers } from './handlers.js';
export type { RpcContext } from './rpc-context.js';
export { Rpc } from './rpc-server.js';
export { serveContracts, serveService } from './serve-contracts.js';
export { serveControllers } from './serve-controllers.js';
export { streamsController } from './streams-controller.js';
