import { z } from 'zod';

/** How lists are cut and go on: never in silence. */
export const page = { has_more: z.boolean().meta({ description: 'Whether there is more than this answer holds' }) };
export const cursorPage = {
  ...page,
  next_cursor: z
    .string()
    .nullable()
    .meta({ description: '`cursor` of what follows; null at the end', examples: ['eyJ0IjoiS1hCVEMxNU0ifQ'] }),
};

export const limitOf = (max: number, preset: number) =>
  z
    .int()
    .min(1)
    .max(max)
    .default(preset)
    .meta({ description: 'The most items of this answer', examples: [preset] });
export const cursor = z
  .string()
  .nullish()
  .meta({
    description: '`next_cursor` of the answer before; goes on behind its last item',
    examples: ['eyJ0IjoiS1hCVEMxNU0ifQ'],
  });
