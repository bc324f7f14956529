/** A refusal in the words of Stripe. */
export class StripeRefusal extends Error {
  override readonly name = 'StripeRefusal';

  constructor(
    readonly status: number,
    readonly error: {
      readonly type: string;
      readonly code?: string;
      readonly decline_code?: string;
      readonly param?: string;
      readonly message: string;
    },
  ) {
    super(`${status} ${error.type}: ${error.message}`);
  }
}

export const noSuch = (kind: string, id: string): StripeRefusal =>
  new StripeRefusal(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param: 'id',
    message: `No such ${kind}: '${id}'`,
  });

export const invalid = (message: string, param?: string): StripeRefusal =>
  new StripeRefusal(400, { type: 'invalid_request_error', message, ...(param === undefined ? {} : { param }) });
