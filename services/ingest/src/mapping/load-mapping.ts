import { readFile, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Alias, type Document, isMap, isNode, isPair, LineCounter, parseDocument, visit } from 'yaml';
import { ImportError, sentenceOf } from '../errors.js';
import { mappingFaults } from './mapping-faults.js';
import { mapping, type Mapping } from './mapping.js';

/** Reads and checks one mapping file. Throws an `ImportError` that names the file, the line and the field. */
export const loadMapping = async (path: string): Promise<Mapping> => {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new ImportError(`The mapping ${path} cannot be read: ${sentenceOf(cause)}`, { cause });
  }
  return parseMapping(text, path);
};

export const loadBuiltInMappings = async (): Promise<readonly Mapping[]> => {
  const folder = fileURLToPath(new URL('../../mappings/', import.meta.url));
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).toSorted();
  return Promise.all(names.map((name) => loadMapping(join(folder, name))));
};

export const parseMapping = (text: string, path: string): Mapping => {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const broken = yamlFault(document);
  if (broken) {
    const { line } = lines.linePos(broken.offset);
    throw new ImportError(`The mapping ${path} is not valid YAML: line ${line}: ${broken.sentence}`);
  }
  const raw: unknown = document.toJS();
  const checked = mapping.safeParse(raw);
  if (checked.success) return checked.data;
  const sentences = mappingFaults(checked.error.issues, raw)
    .map(({ where, key, sentence }) => ({ line: lineOf({ document, lines, where, key }), sentence }))
    .toSorted((one, other) => one.line - other.line)
    .map(({ line, sentence }) => `line ${line}: ${sentence}`);
  throw new ImportError(`The mapping ${basename(path)} is not valid:\n  ${sentences.join('\n  ')}`);
};

/** The first YAML error. A reference without its anchor parses, and would fail only when it is read. */
const yamlFault = (document: Document.Parsed): { offset: number; sentence: string } | null => {
  const broken = document.errors[0];
  if (broken) return { offset: broken.pos[0], sentence: broken.message.replaceAll(/\s+/g, ' ') };
  let dangling: Alias | undefined;
  visit(document, {
    Alias: (_, alias) => {
      if (alias.resolve(document)) return undefined;
      dangling = alias;
      return visit.BREAK;
    },
  });
  return dangling
    ? { offset: dangling.range?.[0] ?? 0, sentence: `*${dangling.source} has no anchor &${dangling.source} before it` }
    : null;
};

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
