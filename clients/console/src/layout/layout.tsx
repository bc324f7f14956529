import { type ReactNode, useRef } from 'react';
import { AlertWatch } from '../alerts/alert-watch.js';
import { useAsOf } from '../api/as-of.js';
import { AccountMenu } from './account-menu.js';
import { AsOfRibbon } from './as-of-ribbon.js';
import { AsOfSwitch } from './as-of-switch.js';
import { Navigation } from './navigation.js';
import { SearchBox } from './search-box.js';
import { ThemeToggle } from './theme-toggle.js';
import { useNewScreen } from './use-new-screen.js';
import { Link } from '../parts/link.js';
import { Tour } from '../tour/tour.js';
import { Connection } from '../states/connection.js';

/** What every screen has around it. */
export const Layout = ({ children }: { readonly children: ReactNode }): ReactNode => {
  const asOf = useAsOf();
  const main = useRef<HTMLElement>(null);
  useNewScreen(main);
  return (
    <div className="layout" data-as-of={asOf}>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="top">
        <Link to="/" className="brand">
          <img src="/console/favicon.svg" alt="" width="22" height="22" />
          <span>Almanac</span>
        </Link>
        <SearchBox />
        <AsOfSwitch />
        <ThemeToggle />
        <AccountMenu />
      </header>
      <Navigation />
      {asOf === undefined ? null : <AsOfRibbon asOf={asOf} />}
      <Connection />
      <main id="main" tabIndex={-1} ref={main}>
        {children}
      </main>
      <AlertWatch />
      <Tour />
    </div>
  );
};
