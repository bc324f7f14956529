import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { marketMessages, type Recordings, tinyRecordings, writeKalshiBooks } from '@almanac/recordings';
import { describeCapture } from './testing/capture-suite.js';
import { testPolymarketCapture } from './testing/polymarket-capture-suite.js';
import { framesOf, sessionOf } from './testing/recorded-messages.js';

let folder = '';
let books: Recordings['kalshiBooks'];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'almanac-capture-'));
  books = await writeKalshiBooks(folder, tinyRecordings);
});
after(() => rm(folder, { recursive: true, force: true }));

describeCapture('a capture of generated messages', {
  skip: false,
  open: () => ({ session: sessionOf(books.session.folder), drops: 4, frames: framesOf(books.framesPath) }),
});

testPolymarketCapture('a capture of generated Polymarket messages', {
  skip: false,
  open: () => ({ ...marketMessages(1), ask: '0.61' }),
});
