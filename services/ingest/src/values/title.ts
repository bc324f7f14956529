/**
 * A venue's title with its subtitle, which often distinguishes similar entities ("Bitcoin price today?" and "On Feb 24,
 * 2025 at 6pm EST"). The subtitle is left out if the title contains it. Markdown's bold is removed.
 */
export const titleOf = (title: string | null, subTitle: string | null): string | null => {
  const main = plain(title);
  const sub = plain(subTitle);
  if (main === '' || sub === '') return main || sub || null;
  return main.toLowerCase().includes(sub.toLowerCase()) ? main : `${main} (${sub})`;
};

const plain = (text: string | null): string =>
  (text ?? '')
    .replaceAll('**', '')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[:\s]+/, '')
    .trimEnd();
