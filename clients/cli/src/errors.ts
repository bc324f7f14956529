/** The command line makes no sense. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'usage';
  readonly detail: string;
  readonly remedy: string;

  constructor(detail: string, remedy = '') {
    super(`${detail} ${remedy}`.trim());
    this.detail = detail;
    this.remedy = remedy;
  }
}

/** There is no key to send. */
export class SignedOutError extends Error {
  override readonly name = 'SignedOutError';
  readonly code = 'signed_out';
  readonly detail: string;
  readonly remedy: string;

  constructor(detail: string, remedy: string) {
    super(`${detail} ${remedy}`);
    this.detail = detail;
    this.remedy = remedy;
  }
}

/** Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly code = 'interrupted';
  readonly detail = 'Interrupted.';
  /** What goes on without this command, and how to come back to it. */
  remedy = '';
}
