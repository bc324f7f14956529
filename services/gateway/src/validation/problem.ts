import { noticed } from '@almanac/contracts';
import { z } from 'zod';

/** The body of every error. That of status 422 has a list as `detail`. */
export const problem = z
  .object({
    detail: z.string().meta({ description: 'What is wrong and what to do, for people' }),
    code: z.string().meta({ description: 'Error code for programs. It never changes. [All error codes](docs/errors)' }),
    request_id: z.string().meta({
      description: 'Id of the request, as in the `X-Request-Id` header. Use it to report a problem',
      examples: ['0198c7a2-6f0e-7c3b-9a51-2f4be08d7c11'],
    }),
    ...noticed.shape,
  })
  .meta({ id: 'Error', description: 'An error.' });

/** The body of every error for `Accept: application/problem+json` (RFC 9457). */
export const problemDetails = z
  .looseObject({
    type: z
      .string()
      .meta({ description: 'Path of the page about the error code', examples: ['/docs/errors/market_not_found'] }),
    title: z.string().optional().meta({ description: 'Meaning of the error code' }),
    status: z.int().meta({ description: 'HTTP status' }),
    ...problem.shape,
    errors: z.array(z.unknown()).optional().meta({ description: 'The invalid fields, for status 422' }),
  })
  .meta({ id: 'ProblemDetails', description: 'An error in the form of RFC 9457.' });
