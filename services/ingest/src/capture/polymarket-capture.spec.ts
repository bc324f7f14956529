import { marketMessages } from '@almanac/test-fixtures';
import { testPolymarketCapture } from './testing/polymarket-capture-suite.js';

testPolymarketCapture('a capture of generated Polymarket messages', {
  skip: false,
  open: () => ({ ...marketMessages(1), ask: '0.61' }),
});
