import { execFile } from 'node:child_process';
import { closeSync, constants, open as openWithCallback, openSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { promisify } from 'node:util';

/** Makes named pipes; what a killed process left in the folder is removed before. */
export const makePipes = async (folder: string, paths: readonly string[]): Promise<void> => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await promisify(execFile)('mkfifo', ['-m', '600', ...paths], { timeout: 5_000 });
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
