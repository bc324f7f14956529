import type { Response } from 'express';

/** The client went away before its answer ended: nobody waits for what is under way for it. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
  readonly code = 'ECONNRESET';

  constructor() {
    super('The client went away before its answer ended.');
  }
}

/** Aborts with a ClientGoneError when the client goes away before its answer ended. */
export const clientGone = (response: Response): AbortSignal => {
  if (response.destroyed) return AbortSignal.abort(new ClientGoneError());
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(new ClientGoneError());
  });
  return gone.signal;
};
