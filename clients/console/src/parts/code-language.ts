const name = 'almanac-language';

/** Who reads one of them reads the other, where only that is offered. */
const related: Readonly<Record<string, string>> = { TypeScript: 'JavaScript', JavaScript: 'TypeScript' };

/** The language that was chosen last, or the nearest one that is offered. */
export const chosenLanguage = <Language extends string>(offered: readonly [Language, ...Language[]]): Language => {
  const stored = read() ?? '';
  return offered.find((one) => one === stored) ?? offered.find((one) => one === related[stored]) ?? offered[0];
};

const read = (): string | null => {
  try {
    return localStorage.getItem(name);
  } catch {
    // Outside of a browser, and where it refuses storage.
    return null;
  }
};

export const storeLanguage = (language: string): void => {
  try {
    localStorage.setItem(name, language);
  } catch {
    // It is then chosen again on the next visit.
  }
};
