import { QueryClientProvider } from '@tanstack/react-query';
import { createElement, type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { matchRoute, Route, Router, Switch, useLocation, useRouter, useSearchParams } from 'wouter';
import { queryClient } from './api/query-client.js';
import { useSession, useSessionFault } from './api/use-session.js';
import { onZone, shownZone } from './format/zone.js';
import { Layout } from './layout/layout.js';
import { PublicLayout } from './layout/public-layout.js';
import { Page } from './layout/page.js';
import { SignIn } from './screens/sign-in/screen.js';
import type { OpenSession } from './api/session.js';
import { preloaded, screens, screensOf } from './screens.js';
import { Failure } from './states/failure.js';
import { FaultBoundary } from './states/fault-boundary.js';
import { Empty } from './states/empty.js';
import { Loading } from './states/loading.js';
import { type ScreenFile, useScreenFile } from './states/screen-file.js';
import { Link } from './parts/link.js';

export const App = (): ReactNode => (
  <QueryClientProvider client={queryClient}>
    <Router base="/console">
      <FaultBoundary>
        <Session />
      </FaultBoundary>
    </Router>
  </QueryClientProvider>
);

const Session = (): ReactNode => {
  const session = useSession();
  const fault = useSessionFault();
  // Every screen has times. What it shows is in its address and in the cache, so it begins again at no cost.
  const zone = useSyncExternalStore(onZone, shownZone);
  usePreloading();
  // What one account has seen must not be there for the next one.
  useEffect(() => {
    if (session === null) queryClient.clear();
  }, [session]);
  if (session === undefined) return fault === undefined ? <Loading what="the session" /> : <NoSession fault={fault} />;
  return session === null ? <SignedOut /> : <Screens key={zone} session={session} />;
};

/** The sign-in, or a screen that is for everybody. `sign-in` in the address asks for the sign-in there. */
const SignedOut = (): ReactNode => {
  const { parser } = useRouter();
  const [location] = useLocation();
  const [params] = useSearchParams();
  const open = screens.find(({ path, isPublic = false }) => isPublic && matchRoute(parser, path, location)[0]);
  if (open === undefined || params.has('sign-in')) return <SignIn />;
  return (
    <PublicLayout>
      <Opened file={open.component} />
    </PublicLayout>
  );
};

/** The page goes on by itself: the session is read again. */
const NoSession = ({ fault }: { readonly fault: Error }): ReactNode => (
  <main className="sign-in">
    <h1 className="visually-hidden">Almanac</h1>
    <Failure error={fault} />
  </main>
);

/** A person who opens something moves first. */
const firstMoves = ['pointermove', 'pointerdown', 'keydown'] as const;

/** Loads the file of the first screen while the session is read, and those of the usual next ones at the first movement. */
const usePreloading = (): void => {
  const { parser } = useRouter();
  const [location] = useLocation();
  useEffect(() => {
    screens.find(({ path }) => matchRoute(parser, path, location)[0])?.component.preload();
    const stop = new AbortController();
    const preload = (): void => {
      stop.abort();
      for (const { path, component } of screens) {
        if (preloaded.some((one) => one === path)) component.preload();
      }
    };
    for (const move of firstMoves) window.addEventListener(move, preload, { signal: stop.signal });
    return () => stop.abort();
    // Once. What is opened later loads its own file.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
};

const Opened = ({ file }: { readonly file: ScreenFile }): ReactNode => {
  const component = useScreenFile(file);
  if (component !== undefined) return createElement(component);
  return (
    <>
      <h1 className="visually-hidden">Loading</h1>
      <Loading what="the screen" />
    </>
  );
};

const Screens = ({ session }: { readonly session: OpenSession }): ReactNode => (
  <Layout>
    <Switch>
      {screensOf(session).map(({ path, component }) => (
        <Route key={path} path={path}>
          <FaultBoundary key={path}>
            <Opened file={component} />
          </FaultBoundary>
        </Route>
      ))}
      <Route>
        <Page title="No such screen">
          <Empty title="This address leads nowhere">
            <Link to="/browse">Browse the archive</Link>, or search for a market above.
          </Empty>
        </Page>
      </Route>
    </Switch>
  </Layout>
);
