import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { type Recordings, smallRecordings, writeKalshiBooks } from '@almanac/test-fixtures';
import { describeCapture } from './testing/capture-suite.js';
import { framesOf, sessionOf } from './testing/recorded-messages.js';

let folder = '';
let books: Recordings['kalshiBooks'];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'almanac-capture-'));
  books = await writeKalshiBooks(folder, smallRecordings);
});
after(() => rm(folder, { recursive: true, force: true }));

describeCapture('a capture of generated messages', {
  skip: false,
  open: () => ({ session: sessionOf(books.session.folder), frames: framesOf(books.framesPath) }),
});
