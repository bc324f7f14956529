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
