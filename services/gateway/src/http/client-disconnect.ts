import type { Response } from 'express';

/** The client went away before its answer ended: nobody waits for what is under way for it. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientGoneError';
  readonly code = 'ECONNRESET';

  constructor() {
    super('The client went away before its answer ended.');
  }
}

/** Aborts with a ClientDisconnectedError when the client goes away before its answer ended. */
export const disconnectSignal = (response: Response): AbortSignal => {
  if (response.destroyed) return AbortSignal.abort(new ClientDisconnectedError());
  const disconnected = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) disconnected.abort(new ClientDisconnectedError());
  });
  return disconnected.signal;
};
