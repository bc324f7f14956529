export * from './client.js';
export { Reply, StreamReply } from './rpc-reply.js';
export { PassErrors, Rpc, RpcContext, RpcServer } from './rpc-server.js';
export { chunked, type ReplyChunks } from './rpc-stream.js';
export { serveControllers } from './serve-controllers.js';
export { streamsController } from './streams-controller.js';
