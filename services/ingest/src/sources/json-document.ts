import { type ParsedElementInfo, type ParsedTokenInfo, Tokenizer, TokenParser, TokenType } from '@streamparser/json';
import { ImportError, sentenceOf } from '../errors.js';
import {
  hasNoId,
  isEntityKey,
  isListKey,
  plainKey,
  recordedAround,
  type RecordedAround,
  wrapperKey,
} from './json-page.js';
import {
  type BrokenRow,
  following,
  isObject,
  type JsonRecord,
  type RecordBlock,
  recordCharsMax,
  type RecordSource,
} from './source.js';

/**
 * Reads one JSON document, or several in a row, record by record: a list of objects, a page with such a list
 * (`{"markets": […], "cursor": ""}`), such a page under `response` of a recorder, an answer with one entity (`{"market": {…}}`), numbered objects (`{"0": {…}, "1":
 * {…}}`), or one object. At most one record and one block of the file are in memory. Numbers stay the text of the
 * source.
 */
export const openJsonDocument = async (path: string, text: AsyncIterable<string>): Promise<RecordSource> => {
  const records = recordCollector();
  const blocks = documentBlocks(path, text, records);
  const read: RecordBlock[] = [];
  let first: RecordSource['first'] = null;
  while (first === null) {
    const next = await blocks.next();
    if (next.done === true) break;
    read.push(next.value);
    first = next.value.records[0]?.value ?? null;
  }
  const emptyList = first === null ? records.list() : undefined;
  return { format: 'json', numbering: 'record', first, emptyList, blocks: () => following(read, blocks) };
};

async function* documentBlocks(
  path: string,
  text: AsyncIterable<string>,
  records: RecordCollector,
): AsyncGenerator<RecordBlock, void, undefined> {
  const values = new TokenParser({ separator: '', keepStack: true });
  values.onValue = records.see;
  const tokens = new ExactTokens((token) => values.write(token));
  let bytes = 0;
  let completeUpTo = 0;
  for await (const chunk of text) {
    const before = records.seen();
    const fault = faultOf(() => tokens.write(chunk));
    bytes += Buffer.byteLength(chunk);
    // Everything complete before the fault is still a record.
    yield records.take();
    if (fault !== null)
      throw new ImportError(`${path}: the JSON after record ${records.count()} is not valid: ${fault}`);
    if (records.seen() > before) completeUpTo = bytes;
    if (bytes - completeUpTo > recordCharsMax)
      throw new ImportError(`${path}: record ${records.count() + 1} is too long`);
  }
  const cut = faultOf(() => {
    tokens.end();
    values.end();
  });
  if (cut !== null) throw new ImportError(`${path}: the JSON is incomplete after record ${records.count()}`);
}

/** The library throws its errors out of a write. */
const faultOf = (work: () => void): string | null => {
  try {
    work();
    return null;
  } catch (error) {
    return sentenceOf(error);
  }
};

/** The library's tokens, but each number keeps its source text. */
class ExactTokens extends Tokenizer {
  #number = '';
  readonly #take: (token: ParsedTokenInfo) => void;

  constructor(take: (token: ParsedTokenInfo) => void) {
    super({ stringBufferSize: 64 * 1024 });
    this.#take = take;
  }

  /** Called right before the token of the number. */
  protected override parseNumber(text: string): number {
    this.#number = text;
    return 0;
  }

  override onToken(token: ParsedTokenInfo): void {
    this.#take(token.token === TokenType.NUMBER ? { ...token, value: this.#number } : token);
  }
}

interface RecordCollector {
  readonly see: (element: ParsedElementInfo) => void;
  /** The records completed since the last call. */
  readonly take: () => RecordBlock;
  /** Records so far, including broken ones. */
  readonly count: () => number;
  /** The same, plus skipped values. */
  readonly seen: () => number;
  /** The key of the last list of an answer. */
  readonly list: () => string | undefined;
}

/** Collects the records of a document as their values complete, and removes them from the parser's memory. */
const recordCollector = (): RecordCollector => {
  let [counted, passed] = [0, 0];
  let records: JsonRecord[] = [];
  let broken: BrokenRow[] = [];
  /** Whether the document's object contains records or an empty list of them, and is therefore not a record itself. */
  let isPage = false;
  let lastList: string | undefined;
  /** Of the answer that is read. A recorder writes it before the answer. */
  let around: RecordedAround = {};

  const add = (value: unknown): void => {
    counted += 1;
    if (isObject(value)) records.push({ value, line: counted, ...around });
    else broken.push({ line: counted, reason: 'not a JSON object', text: JSON.stringify(value) });
  };
  const seeInObject = (root: object, key: string, value: unknown): boolean => {
    if (!isPage && !hasNoId(root)) return false;
    const isEntity = isEntityKey(key) && isObject(value);
    if (isEntity) add(value);
    const isList = isListKey(key) && Array.isArray(value);
    if (isList) lastList = plainKey(key);
    isPage ||= isEntity || isList;
    return isPage;
  };
  const seeInList = (root: object, list: unknown, value: unknown): boolean => {
    if (!isPage && !(isListKey(list) && hasNoId(root))) return false;
    isPage = true;
    if (isListKey(list)) add(value);
    else passed += 1;
    return true;
  };

  return {
    see: ({ value, parent, key, stack }) => {
      const list = stack[1];
      if (stack.length === 0) {
        if (!Array.isArray(value) && !isPage) add(value);
        isPage = false;
        around = {};
      } else if (stack.length === 1 && Array.isArray(parent)) {
        add(value);
        parent.length = 0;
      } else if (stack.length === 1 && parent) {
        const name = String(key);
        around = { ...recordedAround(name, value), ...around };
        if (seeInObject(parent, name, value)) Reflect.deleteProperty(parent, name);
      } else if (Array.isArray(parent)) {
        const inner = stack.length === 2 ? list : stack.length === 3 && list?.key === wrapperKey ? stack[2] : undefined;
        if (inner?.value && !Array.isArray(inner.value) && seeInList(inner.value, inner.key, value)) parent.length = 0;
      } else if (stack.length === 2 && parent && list?.key === wrapperKey) {
        const name = String(key);
        if (seeInObject(parent, name, value)) Reflect.deleteProperty(parent, name);
      }
    },
    take: () => {
      const block = { records, broken };
      [records, broken] = [[], []];
      return block;
    },
    count: () => counted,
    seen: () => counted + passed,
    list: () => lastList,
  };
};
