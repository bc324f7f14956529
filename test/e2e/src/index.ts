export { apiClient, type ApiClient, errorBody, poll, post } from './api.js';
export { createExport, endedExport } from './exports.js';
export { type SystemHarness, startHarness } from './harness.js';
