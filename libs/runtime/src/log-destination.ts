import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';
import { counter } from './metrics.js';

const droppedLines = counter(
  'almanac_log_lines_dropped_total',
  'log lines that could not be written, for example to a full disk or a closed pipe',
);

/**
 * Writes lines to a file descriptor, at once: a line that waits could be lost at the exit of the process. A line that
 * cannot be written is dropped and counted, because a log must never end or delay its process.
 */
export const logDestination = (fd: number): DestinationStream => {
  let isCut = false;
  return {
    write: (line) => {
      // A line that was cut must not join with the next one.
      const bytes = Buffer.from(isCut ? `\n${line}` : line);
      const written = writeUntilFailure(fd, bytes);
      if (written === bytes.length) isCut = false;
      else {
        isCut ||= written > 0;
        droppedLines.inc();
      }
    },
  };
};

/** Together half a second, for a reader of a pipe that is slow. */
const attemptsMax = 50;
const pauseMs = 10;

/** Returns the number of bytes written. */
const writeUntilFailure = (fd: number, bytes: Uint8Array): number => {
  let written = 0;
  for (let failures = 0; written < bytes.length && failures < attemptsMax;) {
    try {
      written += writeSync(fd, bytes, written);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) break;
      failures += 1;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
  return written;
};
