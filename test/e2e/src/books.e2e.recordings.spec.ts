import { recording } from '@almanac/testing';
import { describeBooks } from './recordings/books-suite.js';

const session = recording('data/kalshi-l2/session-20260514T130107Z');
const frames = recording('data/kalshi-l2/ws_frames.jsonl');

describeBooks('real order books, from import to answers', {
  skip: session.skip || frames.skip,
  open: () =>
    Promise.resolve({
      session: {
        folder: session.path,
        changes: 67_726,
        ticker: 'KXBTC15M-26MAY140915-15',
        startUs: 1_778_763_695_413_039,
        endUs: 1_778_764_506_561_937,
        result: 'yes',
        strike: 79_747.3,
      },
      framesPath: frames.path,
      frameTicker: 'KXBTC-26APR1817-B76875',
    }),
});
