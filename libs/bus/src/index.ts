export * from './client.js';
export { PassErrors, Reply, Rpc, RpcContext, RpcServer } from './rpc-server.js';
export { serveModule } from './serve.js';
