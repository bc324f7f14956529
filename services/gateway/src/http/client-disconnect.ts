import type { Response } from 'express';

/** The client disconnected before its answer ended. Its running work is no longer needed. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientGoneError';
  readonly code = 'ECONNRESET';

  constructor() {
    super('The client disconnected before the end of its response.');
  }
}

/** Aborts with a ClientDisconnectedError if the client disconnects before its answer ends. */
export const disconnectSignal = (response: Response): AbortSignal => {
  if (response.destroyed) return AbortSignal.abort(new ClientDisconnectedError());
  const disconnected = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) disconnected.abort(new ClientDisconnectedError());
  });
  return disconnected.signal;
};
