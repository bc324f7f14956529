/** A number with its noun: `1 event`, `1,234 events`. */
export const pluralize = (n: number, noun: string): string =>
  `${n.toLocaleString('en-US')} ${noun}${n === 1 ? '' : 's'}`;
