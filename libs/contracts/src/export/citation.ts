import { z } from 'zod';

/** How to cite a file. */
export const citation = z
  .object({
    text: z.string().meta({ description: 'Citation for people' }),
    bibtex: z.string().meta({ description: 'Citation as a BibTeX entry' }),
  })
  .meta({ id: 'Citation', description: 'How to cite the file of an export.' });
export type Citation = z.infer<typeof citation>;
