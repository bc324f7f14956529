import type { ReactNode } from 'react';
import { Link } from '../../parts/link.js';

/** In place of a book that the account may not read. `notice` is the API's sentence with the remedy. */
export const BooksNotIncluded = ({ notice }: { readonly notice: string | null }): ReactNode => (
  <p className="hint pad" data-state="books-not-included">
    {notice} <Link to="/plan">Plans</Link>
  </p>
);
