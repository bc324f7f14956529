import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const repository = new URL('../../../../', import.meta.url);
const notebooksFolder = fileURLToPath(new URL('examples/notebooks/', repository));
export const runner = fileURLToPath(new URL('../../run_notebook.py', import.meta.url));

const text = z.array(z.string()).transform((lines) => lines.join(''));
const cell = z.discriminatedUnion('cell_type', [
  z.object({ cell_type: z.literal('markdown'), source: text }),
  z.object({
    cell_type: z.literal('code'),
    source: text,
    outputs: z.array(z.looseObject({ output_type: z.string(), data: z.record(z.string(), z.unknown()).optional() })),
    execution_count: z.int().nullable(),
  }),
]);
const notebook = z.object({
  nbformat: z.literal(4),
  metadata: z.looseObject({ kernelspec: z.looseObject({ name: z.string() }) }),
  cells: z.array(cell),
});
type Notebook = z.output<typeof notebook>;

export const readNotebook = async (path: string): Promise<Notebook> =>
  notebook.parse(JSON.parse(await readFile(path, 'utf8')));

export const notebookPaths = async (): Promise<string[]> =>
  (await readdir(notebooksFolder)).filter((name) => name.endsWith('.ipynb')).map((name) => join(notebooksFolder, name));

export const codeOf = ({ cells }: Notebook) => cells.filter((one) => one.cell_type === 'code');
