/** A slug for filters, which both venues share, and the venue's own words. */
export interface Category {
  readonly category: string;
  readonly category_label: string;
}

/**
 * The category of a venue's words: `Science and Technology` is `science-and-technology`, `Pop-Culture ` is
 * `pop-culture`, `Économie & Marchés` is `economie-and-marches`. Null if they have no letter or digit.
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
