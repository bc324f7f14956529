import type { Notice } from '@almanac/contracts';
import { z } from 'zod';
import { problem } from './problem.js';

export type Location = readonly (string | number)[];

/** One item of a 422, in the wording of FastAPI and pydantic. */
const fault = z
  .object({
    loc: z.array(z.union([z.string(), z.int()])).meta({
      description: 'Location of the problem: `path`, `query`, `body` or `header`, then the field',
      examples: [['query', 'limit']],
    }),
    msg: z.string().meta({
      description: 'What is wrong and what to do, for people',
      examples: ['Input should be less than or equal to 200'],
    }),
    type: z.string().meta({ description: 'Kind of the problem, for programs', examples: ['less_than_equal'] }),
    input: z
      .unknown()
      .meta({ description: 'Value that was sent. For a query parameter, the raw text', examples: ['201'] }),
    ctx: z
      .record(z.string(), z.unknown())
      .meta({ description: 'Details of the problem, such as the limit that was exceeded', examples: [{ le: 200 }] })
      .optional(),
  })
  .meta({ id: 'ValidationError', description: 'One problem in the request.' });
export type Fault = Omit<z.infer<typeof fault>, 'loc'> & { readonly loc: Location };

/** The body of a 422. */
export const validationProblem = problem
  .extend({
    detail: z
      .array(fault)
      .meta({ description: 'All problems: first of the path, then of the query, the body and the headers' }),
  })
  .meta({ id: 'HTTPValidationError', description: 'The request has invalid fields.' });

/** Invalid fields of a request, with all faults in the order path, query, body. */
export class ValidationError extends Error {
  override readonly name = 'ValidationError';

  constructor(
    readonly faults: readonly Fault[],
    readonly notices: readonly Notice[] = [],
    readonly code: 'validation_failed' | 'invalid_cursor' = 'validation_failed',
  ) {
    super(`${faults.length} faults in what was sent`);
  }
}
