/** A value that is stored with fewer digits than its source has. */
export interface Altered {
  /** One of a few texts, so that it can be counted: `rounded to 8 decimals`. */
  readonly how: string;
  readonly from: string;
  readonly to: string;
}

/** Called for each altered value. */
export type OnAltered = (altered: Altered) => void;

/** An altered value with the name of its field. */
export interface NamedAltered extends Altered {
  readonly name: string;
}

/** Called for each altered value of a message. Returns false if the message must be refused. */
export type AcceptAltered = (altered: NamedAltered) => boolean;
