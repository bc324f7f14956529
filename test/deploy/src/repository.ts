import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { parseAllDocuments } from 'yaml';

export const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** A file of the checkout, by its path in it. */
export const readText = async (path: string): Promise<string> =>
  readFile(new URL(path, `file://${repository}`), 'utf8');

/** Every document of a YAML file, anchors and `<<` merged; throws at the first fault. */
export const readYaml = async (path: string): Promise<unknown[]> => {
  const documents = parseAllDocuments(await readText(path), { merge: true, uniqueKeys: true });
  if (!Array.isArray(documents)) throw new Error(`${path} is empty`);
  return documents.map((document) => {
    const [fault] = [...document.errors, ...document.warnings];
    if (fault !== undefined) throw new Error(`${path}: ${fault.message}`);
    const value: unknown = document.toJS();
    return value;
  });
};

/** Environment variables as compose and Kubernetes have them. */
export const environment = z.record(z.string(), z.string());
export type Environment = z.infer<typeof environment>;

/** What stands for each secret that a deployment gives: as long as the longest that any of them must be. */
export const givenSecret = 'given-by-the-one-who-deploys-this-system';
