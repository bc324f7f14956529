import { withoutAccents } from './word-forms.js';

/** Words of up to 3 letters and words with digits are not corrected, longer ones by one edit, from 6 letters on by two. */
const editsMaxOf = (word: string): number => {
  if (word.length < 4 || /\p{N}/u.test(word)) return 0;
  return word.length < 6 ? 1 : 2;
};

export interface NearestWord {
  readonly word: string;
  readonly edits: number;
}

/** The words with the fewest edits, at least one. Empty if none is near. */
export const nearestWords = (word: string, known: Iterable<string>): NearestWord[] => {
  let editsMax = editsMaxOf(word);
  if (editsMax === 0) return [];
  const plain = withoutAccents(word);
  const letters = lettersOf(plain);
  let found: NearestWord[] = [];
  for (const stored of known) {
    if (Math.abs(stored.length - plain.length) > editsMax) continue;
    const candidate = withoutAccents(stored);
    // Each edit adds or removes at most two kinds of letters.
    if (bitsOf(letters ^ lettersOf(candidate)) > 2 * editsMax) continue;
    const edits = editsBetween(plain, candidate, editsMax);
    if (edits === undefined) continue;
    if (edits < editsMax) found = found.filter((one) => one.edits <= edits);
    editsMax = Math.min(editsMax, Math.max(edits, 1));
    found.push({ word: stored, edits });
  }
  return found.filter(({ edits }) => edits === Math.min(...found.map((one) => one.edits)));
};

/** One bit for each letter a to z of the word. */
const lettersOf = (word: string): number => {
  let letters = 0;
  for (let at = 0; at < word.length; at += 1) {
    const letter = word.charCodeAt(at) - 97;
    if (letter >= 0 && letter < 26) letters |= 1 << letter;
  }
  return letters;
};

const bitsOf = (value: number): number => {
  let bits = 0;
  for (let rest = value; rest !== 0; rest &= rest - 1) bits += 1;
  return bits;
};

/**
 * The number of edits between two words, of at most `max`: letters that are inserted, removed, replaced, or exchanged
 * with the next one (optimal string alignment).
 */
export const editsBetween = (a: string, b: string, max: number): number | undefined => {
  let [beforeLast, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const replaced = cell(last, j - 1) + (isSame ? 0 : 1);
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const exchanged = isExchanged ? cell(beforeLast, j - 2) + 1 : Infinity;
      row.push(Math.min(replaced, exchanged, cell(last, j) + 1, cell(row, j - 1) + 1));
    }
    if (Math.min(...row) > max) return undefined;
    [beforeLast, last] = [last, row];
  }
  const edits = cell(last, b.length);
  return edits > max ? undefined : edits;
};

const cell = (row: readonly number[], at: number): number => row[at] ?? Infinity;
