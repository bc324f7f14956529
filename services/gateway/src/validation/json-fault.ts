/** Where a text stops being JSON, in code points, and why, in the wording of Python's decoder. */
export interface JsonFault {
  readonly error: string;
  readonly offset: number;
}

/** Deeper bodies are rejected: serialising them would exhaust the stack. No API body is deeper than 2. */
export const depthMax = 500;

class Stop extends Error {
  constructor(
    readonly error: string,
    readonly at: number,
  ) {
    super(error);
  }
}

/**
 * Finds the first fault of a text. It scans like Python's decoder, so error and offset are the same. Constructs that
 * Python accepts (NaN, lone surrogates, any depth) are also faults here, as `Expecting value`.
 */
export const findJsonFault = (text: string): JsonFault | undefined => {
  try {
    scan(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { error: error.error, offset: codePointsOf(text.slice(0, error.at)) };
  }
};

export const codePointsOf = (text: string): number => {
  let count = text.length;
  for (let at = 0; at + 1 < text.length; at += 1) {
    if (isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1))) count -= 1;
  }
  return count;
};

const isHigh = (unit: number): boolean => unit >= 0xd8_00 && unit <= 0xdb_ff;
const isLow = (unit: number): boolean => unit >= 0xdc_00 && unit <= 0xdf_ff;

/** A loop with its own stack, because the depth is user input. */
const scan = (text: string): void => {
  const closers: ('}' | ']')[] = [];
  let at = skipBlanks(text, 0);
  for (;;) {
    const opened = text[at];
    if (opened === '{' || opened === '[') {
      if (closers.length >= depthMax) throw new Stop('Expecting value', at);
      const closer = opened === '{' ? '}' : ']';
      closers.push(closer);
      at = skipBlanks(text, at + 1);
      if (text[at] !== closer) {
        if (closer === '}') at = skipKey(text, at);
        continue;
      }
    } else at = opened === '"' ? skipString(text, at) : skipScalar(text, at);
    const next = skipToNextValue(text, at, closers);
    if (next === undefined) return;
    at = next;
  }
};

/** Skips from the end of a value or a closer to the next value. Undefined at the end of the text. */
const skipToNextValue = (text: string, from: number, closers: ('}' | ']')[]): number | undefined => {
  let at = from;
  for (;;) {
    at = skipBlanks(text, at);
    const closer = closers.at(-1);
    if (closer === undefined) {
      if (at < text.length) throw new Stop('Extra data', at);
      return undefined;
    }
    if (text[at] === closer) {
      closers.pop();
      at += 1;
      continue;
    }
    if (text[at] !== ',') throw new Stop("Expecting ',' delimiter", at);
    at = skipBlanks(text, at + 1);
    return closer === '}' ? skipKey(text, at) : at;
  }
};

const skipBlanks = (text: string, from: number): number => {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
  return at;
};

const skipKey = (text: string, from: number): number => {
  if (text[from] !== '"') throw new Stop('Expecting property name enclosed in double quotes', from);
  const at = skipBlanks(text, skipString(text, from));
  if (text[at] !== ':') throw new Stop("Expecting ':' delimiter", at);
  return skipBlanks(text, at + 1);
};

const skipScalar = (text: string, from: number): number => {
  const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
  scalar.lastIndex = from;
  if (!scalar.test(text)) throw new Stop('Expecting value', from);
  return scalar.lastIndex;
};

const skipString = (text: string, begin: number): number => {
  let at = begin + 1;
  while (text[at] !== '"') {
    if (at >= text.length) throw new Stop('Unterminated string starting at', begin);
    if (text.charCodeAt(at) < 0x20) throw new Stop('Invalid control character at', at);
    at = text[at] === '\\' ? skipEscape(text, at, begin) : at + 1;
  }
  return at + 1;
};

const skipEscape = (text: string, at: number, begin: number): number => {
  const letter = text[at + 1];
  if (letter === undefined) throw new Stop('Unterminated string starting at', begin);
  if (letter !== 'u') {
    if (!'"\\/bfnrt'.includes(letter)) throw new Stop('Invalid \\escape', at);
    return at + 2;
  }
  const unit = unitAt(text, at);
  // Python requires a character after the digits before it checks them.
  if (unit === undefined || at + 6 >= text.length) throw new Stop('Invalid \\uXXXX escape', at + 1);
  if (!isHigh(unit) && !isLow(unit)) return at + 6;
  const second = isHigh(unit) ? unitAt(text, at + 6) : undefined;
  if (second === undefined || !isLow(second)) throw new Stop('Expecting value', at);
  return at + 12;
};

/** The code unit of the escape `\uXXXX` at this position. */
const unitAt = (text: string, at: number): number | undefined => {
  const [, digits] = /^\\u([0-9a-fA-F]{4})$/.exec(text.slice(at, at + 6)) ?? [];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
};
