import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, Suspense, useEffect } from 'react';
import { Route, Router, Switch } from 'wouter';
import { queryClient } from './api/query-client.js';
import { readSession } from './api/read-session.js';
import { useSession } from './api/use-session.js';
import { Layout } from './layout/layout.js';
import { Page } from './layout/page.js';
import { SignIn } from './screens/sign-in/screen.js';
import type { OpenSession } from './api/session.js';
import { screensOf } from './screens.js';
import { FaultBoundary } from './states/fault-boundary.js';
import { Empty } from './states/empty.js';
import { Loading } from './states/loading.js';
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
  useEffect(() => void readSession(), []);
  // What one account has seen must not be there for the next one.
  useEffect(() => {
    if (session === null) queryClient.clear();
  }, [session]);
  if (session === undefined) return <Loading what="the session" />;
  return session === null ? <SignIn /> : <Screens session={session} />;
};

const Screens = ({ session }: { readonly session: OpenSession }): ReactNode => (
  <Layout>
    <Switch>
      {screensOf(session).map(({ path, component: Component }) => (
        <Route key={path} path={path}>
          <FaultBoundary key={path}>
            <Suspense
              fallback={
                <>
                  <h1 className="visually-hidden">Loading</h1>
                  <Loading what="the screen" />
                </>
              }
            >
              <Component />
            </Suspense>
          </FaultBoundary>
        </Route>
      ))}
      <Route>
        <Page title="No such screen">
          <Empty title="This address leads nowhere">
            <Link to="/">Browse the archive</Link>, or search for a market above.
          </Empty>
        </Page>
      </Route>
    </Switch>
  </Layout>
);
