import { readFileSync } from 'node:fs';
import { recording } from '@almanac/testing';
import { describeCapture } from './testing/capture-suite.js';
import { testPolymarketCapture } from './testing/polymarket-capture-suite.js';
import { framesOf, sessionOf } from './testing/recorded-messages.js';

const session = recording('data/kalshi-l2/session-20260514T130107Z');
const frames = recording('data/kalshi-l2/ws_frames.jsonl');
const excerpt = recording('data/polymarket/ws_market_excerpt.jsonl');

describeCapture('a capture of real messages', {
  skip: session.skip || frames.skip,
  open: () => ({ session: sessionOf(session.path), drops: 20, frames: framesOf(frames.path) }),
});

testPolymarketCapture('a capture of real Polymarket messages', {
  skip: excerpt.skip,
  open: () => ({
    lines: readFileSync(excerpt.path, 'utf8').trim().split('\n'),
    tokens: [
      '104903952050248120378328631713712037572165480644531658468314531590451186128669',
      '93557775814410483419246374626456171597128311877288458969314973221123008053776',
    ],
    slug: 'btc-updown-5m-1778796300',
    best: ['0.6', '456.84'],
    deepest: ['0.01', '12145.76'],
    ask: '0.61',
  }),
});
