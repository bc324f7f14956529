export { config, type TimeseriesConfig } from './config.js';
export { startTimeseries } from './start.js';
