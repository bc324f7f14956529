import { recording } from '@almanac/testing';
import { describeCapture } from './testing/capture-suite.js';
import { framesOf, sessionOf } from './testing/recorded-messages.js';

const session = recording('data/kalshi-l2/session-20260514T130107Z');
const frames = recording('data/kalshi-l2/ws_frames.jsonl');

describeCapture('a capture of real messages', {
  skip: session.skip || frames.skip,
  open: () => ({ session: sessionOf(session.path), frames: framesOf(frames.path) }),
});
