const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Whether each word of the text begins one of the title, in any order. */
export const isMeant = (text: string, title: string): boolean => {
  const words = wordsOf(title);
  const typed = wordsOf(text);
  return typed.length > 0 && typed.every((word) => words.some((one) => one.startsWith(word)));
};

const datePattern = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}))?$/;

/** A day, or a day and a minute in UTC, as Unix seconds. */
export const timeIn = (text: string): number | undefined => {
  const [, day, clock = '00:00'] = datePattern.exec(text.trim()) ?? [];
  const ms = day === undefined ? Number.NaN : Date.parse(`${day}T${clock}:00Z`);
  return Number.isNaN(ms) || ms > Date.now() ? undefined : ms / 1_000;
};
