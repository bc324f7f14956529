import { type MessagePort, parentPort } from 'node:worker_threads';
import { createGunzip } from 'node:zlib';
import type { FromThread, ToThread } from './gzip-lines.js';
import { lineFeed, lineFeedsIn } from './line-feeds.js';

/** Counts what comes through one port, which is one file. */
const serve = (port: MessagePort): void => {
  const tell = (message: FromThread): void => port.postMessage(message);
  const unpacker = createGunzip({ chunkSize: 256 * 1_024 });
  let lines = 0;
  let last = lineFeed;
  unpacker.on('data', (part: Buffer) => {
    lines += lineFeedsIn(part);
    last = part.at(-1) ?? last;
  });
  unpacker.once('error', ({ message }) => tell({ failed: message }));
  unpacker.once('end', () => tell(last === lineFeed ? { counted: lines } : { failed: 'the last line is cut' }));
  port.on('message', (packed: ToThread) => {
    if (packed === null) unpacker.end();
    // What comes after a failure is of no use, and its sender knows by now.
    else unpacker.write(packed, (error) => error ?? tell({ taken: packed.length, lines }));
  });
  port.once('close', () => unpacker.destroy());
};

parentPort?.on('message', serve);
