import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Link } from '../parts/link.js';
import { ThemeToggle } from './theme-toggle.js';

/** What is around a screen for somebody who has not signed in. */
export const PublicLayout = ({ children }: { readonly children: ReactNode }): ReactNode => {
  const [location] = useLocation();
  return (
    <div className="layout layout-public">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="top">
        <Link to="/" className="brand">
          <img src="/console/favicon.svg" alt="" width="22" height="22" />
          <span>Almanac</span>
        </Link>
        <div className="buttons">
          <ThemeToggle />
          <Link to={`${location}?sign-in=yes`} className="button">
            Sign in
          </Link>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
};
