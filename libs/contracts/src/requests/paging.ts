import { z } from 'zod';

/** Paging fields. A list is never cut without `has_more`. */
export const page = { has_more: z.boolean().meta({ description: 'Whether more items follow this answer' }) };
export const cursorPage = {
  ...page,
  next_cursor: z
    .string()
    .nullable()
    .meta({ description: '`cursor` of the next page. Null on the last page', examples: ['eyJ0IjoiS1hCVEMxNU0ifQ'] }),
};

export const limitOf = (max: number, preset: number) =>
  z
    .int()
    .min(1)
    .max(max)
    .default(preset)
    .meta({ description: 'Maximum number of items in the answer', examples: [preset] });
export const cursor = z
  .string()
  .nullish()
  .meta({
    description: '`next_cursor` of the previous answer. Returns the items after it',
    examples: ['eyJ0IjoiS1hCVEMxNU0ifQ'],
  });

const windowBound = (description: string, example: number) =>
  z
    .number()
    .nullable()
    .meta({ description, examples: [example] });

/** The close times that a list of markets covers. */
export const closeWindow = {
  from_ts: windowBound(
    'Earliest close time in this list, in Unix seconds. Null without a bound, and if no matching market has closed',
    1771907400,
  ),
  to_ts: windowBound('Latest close time in this list, in Unix seconds. Null without a bound', 1771993800),
  defaulted: z.boolean().meta({
    description:
      'Whether the server chose the time window, because the request has no `from_ts`, `to_ts`, `event` and `q`. Live markets are in the list whatever their close time',
    examples: [true],
  }),
  has_older: z.boolean().meta({
    description:
      'Whether the default window left out matching markets that closed earlier. To get them, send a larger `days`, or `from_ts` and `to_ts`',
    examples: [false],
  }),
};
