import { execFile } from 'node:child_process';
import { closeSync, constants, open as openWithCallback, openSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { promisify } from 'node:util';

/** Creates named pipes, after removing what a killed process left in the folder. */
export const makePipes = async (folder: string, paths: readonly string[]): Promise<void> => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await promisify(execFile)('mkfifo', ['-m', '600', ...paths], { timeout: 5_000 });
};

/** The reading end. It opens at once and ends when the engine closes its end. */
export const openReader = (path: string): Socket =>
  new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false });

/** Ends a pipe that the engine never opened, by opening and closing the writing end. Needs an open reader. */
export const touchWriter = (path: string): void => closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));

/**
 * The writing end. It opens on a thread, and only when the engine has opened its end: otherwise bytes written before
 * would be lost and the engine would wait. If the engine never opens it, `giveUpWriter` frees the thread.
 */
export const openWriter = (path: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    openWithCallback(path, constants.O_WRONLY, (error, fd) => {
      if (error === null) resolve(new Socket({ fd, readable: false, writable: true }));
      else reject(error);
    });
  });

/** Ends an `openWriter` whose engine will never open the pipe. */
export const giveUpWriter = async (path: string, opening: Promise<Socket>): Promise<void> => {
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    (await opening).destroy();
  } finally {
    closeSync(reader);
  }
};
