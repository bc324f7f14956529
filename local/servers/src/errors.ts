/** A local server failed to start or to keep running. The message is one sentence for a person at a terminal. */
export class LocalServerError extends Error {
  override name = 'LocalServerError';
}

export class PortTakenError extends LocalServerError {
  override name = 'PortTakenError';

  constructor(
    readonly port: number,
    server: string,
    options?: ErrorOptions,
  ) {
    super(`Port ${port} on 127.0.0.1 is already taken by another program, so ${server} cannot listen there.`, options);
  }
}
