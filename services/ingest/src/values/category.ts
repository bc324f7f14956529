/** The fields of a category: a slug for filters, which both venues share, and the words of the venue itself. */
export interface Category {
  readonly category: string;
  readonly category_label: string;
}

/**
 * The category of a venue's own words: `Science and Technology` is `science-and-technology`, `Pop-Culture ` is
 * `pop-culture`, `Économie & Marchés` is `economie-and-marches`. Null when there is no letter or digit in them.
 */
export const categoryOf = (label: string | null): Category | null => {
  if (label === null) return null;
  const slug = label
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('&', ' and ')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
  return slug === '' ? null : { category: slug, category_label: label.trim() };
};
