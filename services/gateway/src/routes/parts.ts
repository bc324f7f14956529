import type { Contract } from '@almanac/contracts';
import type { Answering } from '../cache/serving.js';
import type { Exchange } from '../http/exchange.js';
import type { Form } from '../http/wishes.js';

/** A question to a service whose answer goes to the client as it is. */
export interface Question {
  readonly contract: Contract;
  readonly input: unknown;
  readonly exchange: Exchange;
  /** The row's path, which tells one kind of answer from another. */
  readonly path: string;
  /** Which of the row's forms is asked for; undefined for a row that has JSON alone. */
  readonly form: Form | undefined;
  readonly kept?: { readonly ticker: string; readonly byAccount: boolean };
}

/** What the rows need of the process. */
export interface Parts {
  /** Answers from memory what was asked in the very same words before; undefined when it cannot. */
  readonly recall: (path: string, exchange: Exchange, form: Form | undefined) => Answering | undefined;
  readonly forward: (question: Question) => Answering;
  readonly pollExport: (exportId: string, exchange: Exchange) => Promise<void>;
  readonly cancelExport: (exportId: string, exchange: Exchange) => Promise<void>;
  readonly streamExport: (exportId: string, exchange: Exchange) => Promise<void>;
  readonly sendFile: (exportId: string, exchange: Exchange) => Promise<void>;
}
