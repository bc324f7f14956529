/** `1 file`, `1,234 files`, in every locale. A dash stands for an unknown number. */
export const counted = (value: number | null | undefined, noun: string): string => {
  const number =
    value === null || value === undefined ? '–' : value.toLocaleString('en-US', { maximumFractionDigits: 8 });
  return `${number} ${noun}${value === 1 ? '' : 's'}`;
};
