export { type ConsoleBrowser, openBrowser } from './console.js';
export { framesASecond, openManyPoints, openMarketMs, pointsInSight } from './measure.js';
