import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { parseAllDocuments } from 'yaml';

export const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** Reads a file of the checkout by its path. */
export const readText = async (path: string): Promise<string> =>
  readFile(new URL(path, `file://${repository}`), 'utf8');

/** Reads every document of a YAML file, with anchors and `<<` resolved. Throws at the first fault. */
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

/** Environment variables of compose and Kubernetes. */
export const environment = z.record(z.string(), z.string());
export type Environment = z.infer<typeof environment>;

/** A placeholder for every secret of a deployment, as long as the longest minimum. */
export const givenSecret = 'given-by-the-one-who-deploys-this-system';
