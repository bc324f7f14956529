import { execFile } from 'node:child_process';
import { closeSync, constants, open as openWithCallback, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Named pipes in a folder only we can enter; bytes go through them between the engine's threads and our streams. */
export const makePipes = async (count: number) => {
  const folder = await mkdtemp(join(tmpdir(), 'almanac-clickhouse-'));
  const paths = Array.from({ length: count }, (_, index) => join(folder, `pipe-${index}`));
  await promisify(execFile)('mkfifo', ['-m', '600', ...paths], { timeout: 5_000 });
  return { paths, remove: () => rm(folder, { recursive: true, force: true }) };
};

/** The reading end; opens at once, and ends when the engine has closed its end. */
export const openReader = (path: string): Socket =>
  new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false });

/**
 * Makes sure a reader sees the end even if the engine never opened the pipe: opening and closing the writing
 * end is what ends it. Needs an open reader.
 */
export const touchWriter = (path: string): void => closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));

/**
 * The writing end. It opens on a thread and only when the engine has opened its end: a pipe that had been
 * written and closed before would lose its bytes and leave the engine waiting. When the engine never comes,
 * `giveUpWriter` frees the thread.
 */
export const openWriter = (path: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    openWithCallback(path, constants.O_WRONLY, (error, fd) => {
      if (error === null) resolve(new Socket({ fd, readable: false, writable: true }));
      else reject(error);
    });
  });

/** Ends an `openWriter` that waits for an engine which will not come. */
export const giveUpWriter = async (path: string, opening: Promise<Socket>): Promise<void> => {
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    (await opening).destroy();
  } finally {
    closeSync(reader);
  }
};
