export { almanacServer, type ServerOptions } from './server.js';
