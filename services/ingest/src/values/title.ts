/**
 * A venue's title with its sub title, which often has what tells the thing from its neighbours ("Bitcoin price today?"
 * and "On Feb 24, 2025 at 6pm EST"); left out where the title says it already. Markdown's bold is taken off.
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
