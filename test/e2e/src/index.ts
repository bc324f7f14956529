export { apiClient, type ApiClient, poll } from './api.js';
export { type RunningSystem, startRunning } from './running.js';
