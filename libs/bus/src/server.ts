export { PassErrors, Rpc, RpcContext, RpcServer } from './rpc-server.js';
export { serveControllers } from './serve-controllers.js';
export { streamsController } from './streams-controller.js';
