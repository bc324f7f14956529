export * from './bus.js';
export * from './consume.js';
export * from './events.js';
export * from './follow.js';
export * from './names.js';
export * from './permissions.js';
export * from './rpc-client.js';
export { PassErrors, Reply, Rpc, RpcContext, RpcServer } from './rpc-server.js';
export { serveModule } from './serve.js';
