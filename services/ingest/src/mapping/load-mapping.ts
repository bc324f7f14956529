import { readFile, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMap, isNode, isPair, LineCounter, parseDocument, type Document } from 'yaml';
import type { z } from 'zod';
import { ImportError, sentenceOf } from '../errors.js';
import { mapping, type Mapping } from './mapping.js';

/** Reads and checks one mapping file. Throws an `ImportError` which names the file, the line and the field. */
export const loadMapping = async (path: string): Promise<Mapping> => {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new ImportError(`the mapping ${path} cannot be read: ${sentenceOf(cause)}`, { cause });
  }
  return parseMapping(text, path);
};

/** The mappings that come with the project. */
export const loadBuiltInMappings = async (): Promise<readonly Mapping[]> => {
  const folder = fileURLToPath(new URL('../../mappings/', import.meta.url));
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).toSorted();
  return Promise.all(names.map((name) => loadMapping(join(folder, name))));
};

/** `path` is named in errors only. */
export const parseMapping = (text: string, path: string): Mapping => {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const broken = document.errors[0];
  if (broken) throw new ImportError(`the mapping ${path} is no YAML: ${broken.message}`, { cause: broken });
  const checked = mapping.safeParse(document.toJS());
  if (checked.success) return checked.data;
  const sentences = checked.error.issues
    .flatMap((issue) => faults(issue, []))
    .map(({ where, message, key }) => {
      const line = lineOf({ document, lines, where, key });
      return `line ${line}: ${[...where, ...(key === undefined ? [] : [key])].join('.') || 'the mapping'} ${message}`;
    });
  throw new ImportError(`the mapping ${basename(path)} is not valid:\n  ${sentences.join('\n  ')}`);
};

type Issue = z.core.$ZodIssue;
interface Fault {
  readonly where: readonly PropertyKey[];
  readonly message: string;
  readonly key?: string;
}

/** A union says only that no form fits; the form that fits best (the fewest faults) says what is wrong. */
const faults = (issue: Issue, above: readonly PropertyKey[]): readonly Fault[] => {
  const where = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ where, key, message: 'is not known here' }));
  if (issue.code !== 'invalid_union') return [{ where, message: `: ${issue.message}` }];
  const forms = issue.errors.map((form) => form.flatMap((inner) => faults(inner, where)));
  const best = forms.toSorted((a, b) => weight(a) - weight(b))[0];
  return best ?? [{ where, message: `: ${issue.message}` }];
};

/** An unknown key outweighs a wrong value: it means that another form was meant. */
const weight = (form: readonly Fault[]): number =>
  form.reduce((sum, fault) => sum + (fault.key === undefined ? 1 : 10), 0);

const lineOf = (at: {
  document: Document.Parsed;
  lines: LineCounter;
  where: readonly PropertyKey[];
  key: string | undefined;
}): number => {
  const steps = at.where.map((step) => (typeof step === 'symbol' ? String(step) : step));
  for (let depth = steps.length; depth >= 0; depth -= 1) {
    const found: unknown = depth === 0 ? at.document.contents : at.document.getIn(steps.slice(0, depth), true);
    if (!isNode(found)) continue;
    const keyed = at.key !== undefined && isMap(found) ? found.items.find((item) => keyName(item) === at.key) : null;
    const offset = isPair(keyed) && isNode(keyed.key) ? keyed.key.range?.[0] : found.range?.[0];
    return at.lines.linePos(offset ?? 0).line;
  }
  return 1;
};

const keyName = (pair: { key: unknown }): string =>
  isNode(pair.key) && 'value' in pair.key ? String(pair.key.value) : String(pair.key);
