/** Fields without `_dollars` are whole cents. A fraction is a dollar amount, which as cents would be a hundredth of it. */
export const isWholeCents = (text: string | null): boolean => /^\d+(?:\.0*)?$/.test(text ?? '');
