import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tokensOf } from './code-tokens.js';

/** The parts with a colour, as `kind text`. */
const colored = (code: string, language: string): string[] =>
  tokensOf(code, language).flatMap(({ kind, text }) => (kind === undefined ? [] : [`${kind} ${text}`]));

describe('the parts of code', () => {
  it('are strings, comments, numbers and keywords of each language', () => {
    assert.deepEqual(colored('import almanac\nclient.get("A-1", points=300)  # the key', 'Python'), [
      'keyword import',
      'string "A-1"',
      'number 300',
      'comment # the key',
    ]);
    assert.deepEqual(colored("const a = await f('x', { points: 0.5 }); // done", 'TypeScript'), [
      'keyword const',
      'keyword await',
      "string 'x'",
      'number 0.5',
      'comment // done',
    ]);
    assert.deepEqual(colored('if err != nil { return `a"b` }', 'Go'), [
      'keyword if',
      'keyword nil',
      'keyword return',
      'string `a"b`',
    ]);
    assert.deepEqual(colored(`curl -H "A: $KEY" 'https://a/b?c=1#d'`, 'curl'), [
      'keyword curl',
      'string "A: $KEY"',
      "string 'https://a/b?c=1#d'",
    ]);
  });

  it('take nothing in a string for a comment, and no escaped quote for its end', () => {
    assert.deepEqual(colored(String.raw`f("http://a \" # // b")`, 'JavaScript'), [
      String.raw`string "http://a \" # // b"`,
    ]);
    assert.deepEqual(colored(String.raw`'a\' "b"`, 'curl'), [String.raw`string 'a\'`, 'string "b"']);
  });

  it('are the whole text, also of a string that does not end', () => {
    for (const language of ['curl', 'Python', 'TypeScript', 'Go', 'unknown']) {
      const code = `x1 = "open\n# 'also' 12 // <b>`;
      assert.equal(
        tokensOf(code, language)
          .map(({ text }) => text)
          .join(''),
        code,
      );
    }
  });
});
