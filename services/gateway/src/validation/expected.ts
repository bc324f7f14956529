/** `'a', 'b' or 'c'`, as pydantic writes a set of words. */
export const expectedOf = (words: readonly string[]): string => {
  const quoted = words.map((word) => `'${word}'`);
  return [quoted.slice(0, -1).join(', '), quoted.at(-1)].filter(Boolean).join(' or ');
};
