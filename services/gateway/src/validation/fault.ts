import { z } from 'zod';

export type Location = readonly (string | number)[];

/** One item of a 422, in the words of FastAPI and pydantic. */
const fault = z
  .object({
    loc: z
      .array(z.union([z.string(), z.int()]))
      .meta({ description: 'Where: `path`, `query` or `body`, then the field', examples: [['query', 'limit']] }),
    msg: z.string().meta({
      description: 'What is wrong, a sentence for a person',
      examples: ['Input should be less than or equal to 200'],
    }),
    type: z.string().meta({ description: 'What is wrong, a word for a program', examples: ['less_than_equal'] }),
    input: z.unknown().meta({ description: 'What was sent, the raw text of a query value', examples: ['201'] }),
    ctx: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The bound that was not kept', examples: [{ le: 200 }] })
      .optional(),
  })
  .meta({ id: 'ValidationError', description: 'One fault of what was sent.' });
export type Fault = Omit<z.infer<typeof fault>, 'loc'> & { readonly loc: Location };

/** The body of a 422. */
export const validationProblem = z
  .object({ detail: z.array(fault).meta({ description: 'Every fault: of the path, the query, then the body' }) })
  .meta({ id: 'HTTPValidationError', description: 'What was sent does not fit what the endpoint takes.' });

/** What was sent does not fit what the endpoint takes: all faults at once, path, query, body. */
export class ValidationError extends Error {
  override readonly name = 'ValidationError';

  constructor(readonly faults: readonly Fault[]) {
    super(`${faults.length} faults in what was sent`);
  }
}
