export { config as gatewayConfig, type GatewayConfig } from './config.js';
export { startGateway } from './start.js';
