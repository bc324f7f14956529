/** What a part of code is. Undefined: nothing that has a colour. */
export type TokenKind = 'string' | 'comment' | 'number' | 'keyword' | undefined;
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

interface Grammar {
  readonly strings: string;
  readonly comments: string;
  readonly keywords: ReadonlySet<string>;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
/** A string in which a backslash escapes. */
const escaped = (quote: string): string => `${quote}(?:\\\\.|[^${quote}\\\\])*${quote}`;
const slashes = '//.*';
const hash = '(?<=^|\\s)#.*';

const script: Grammar = {
  strings: ["'", '"', '`'].map(escaped).join('|'),
  comments: slashes,
  keywords: words('import from const let await async new return function if else true false null undefined'),
};

/** By the names that the console shows. */
const grammars: Readonly<Record<string, Grammar>> = {
  // In single quotes of the shell, a backslash is a backslash.
  curl: { strings: `'[^']*'|${escaped('"')}`, comments: hash, keywords: words('curl') },
  Python: {
    strings: `${escaped('"')}|${escaped("'")}`,
    comments: '#.*',
    keywords: words('import from with as print def return for in if else True False None'),
  },
  TypeScript: script,
  JavaScript: script,
  Go: {
    strings: `${escaped('"')}|\`[^\`]*\``,
    comments: slashes,
    keywords: words('package import func if nil defer return var const for range true false'),
  },
};

/** The parts of a text of code, for their colours. Together they are the text. */
export const tokensOf = (code: string, language: string): Token[] => {
  const grammar = grammars[language];
  if (grammar === undefined) return [{ kind: undefined, text: code }];
  const { strings, comments, keywords } = grammar;
  const parts = `(?<string>${strings})|(?<comment>${comments})|(?<number>\\b\\d+(?:\\.\\d+)?\\b)|(?<word>[A-Za-z_]\\w*)`;
  const tokens: Token[] = [];
  let end = 0;
  const add = (kind: TokenKind, text: string): void => {
    const before = tokens.at(-1);
    if (text === '') return;
    if (before !== undefined && before.kind === kind) tokens[tokens.length - 1] = { kind, text: before.text + text };
    else tokens.push({ kind, text });
  };
  for (const { 0: text, index, groups } of code.matchAll(new RegExp(parts, 'gm'))) {
    add(undefined, code.slice(end, index));
    const kind = kinds.find((one) => groups?.[one] !== undefined);
    add(kind ?? (keywords.has(text) ? 'keyword' : undefined), text);
    end = index + text.length;
  }
  add(undefined, code.slice(end));
  return tokens;
};

const kinds = ['string', 'comment', 'number'] as const;
