export { apiClient, type ApiClient, poll } from './api.js';
export { type SystemHarness, startHarness } from './harness.js';
