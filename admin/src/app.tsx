// The page: the form to sign in, or the views of whoever has signed in. Where a session ends, the views are taken out of the document
// as they are, until the same client is back.
import { MantineProvider, Portal } from '@mantine/core';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { Suspense, useLayoutEffect, useMemo, useState } from 'react';
import { createPortal } from 'react-dom';
import { Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { type Api, createApi } from './api/api.ts';
import { ApiProvider, MeProvider, useApi } from './api/api-context.tsx';
import { ApiError } from './api/api-error.ts';
import type { Me } from './api/types.ts';
import { AREAS } from './areas.ts';
import { DialogProvider } from './parts/dialogs.tsx';
import { Answer, Loading } from './parts/loading.tsx';
import { ToastProvider } from './parts/toasts.tsx';
import { type Session, SessionProvider, useSession } from './session/session.ts';
import { SignIn } from './session/sign-in.tsx';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { LeaveQuestion } from './shell/leaving/leave-question.tsx';
import { LocationProvider, type PageLocation, usePagePath } from './shell/leaving/page-location.ts';
import { type UnsavedChanges, UnsavedProvider, useUnsavedChanges } from './shell/leaving/unsaved-changes.ts';
import { NotFound } from './shell/not-found.tsx';
import { PopUpProvider } from './shell/pop-ups.tsx';
import { Shell } from './shell/shell.tsx';
import { NavigationCountProvider } from './shell/view.tsx';
import { theme } from './styles/theme.ts';

const MAX_RETRIES = 2;

/** An outage may be over in a moment; what the server refuses it refuses again. */
function isWorthRetrying(failures: number, error: Error): boolean {
  const isOutage = error instanceof ApiError && (error.status === 0 || error.status === 503);
  return isOutage && failures < MAX_RETRIES;
}

const createQueries = () =>
  new QueryClient({ defaultOptions: { queries: { retry: isWorthRetrying, staleTime: 2000 } } });

function useNavigationCount(location: string): number {
  const [seen, setSeen] = useState({ location, count: 0 });
  if (seen.location === location) return seen.count;
  const next = { location, count: seen.count + 1 };
  setSeen(next);
  return next.count;
}

function Areas({ me }: { readonly me: Me }) {
  const [location] = useLocation();
  const areas = AREAS.filter(({ isFor }) => isFor(me));
  return (
    <NavigationCountProvider value={useNavigationCount(location)}>
      <ErrorBoundary of={location}>
        <Suspense fallback={<Loading what="the view" />}>
          <Switch>
            <Route path="/">
              {areas[0] === undefined ? <NotFound /> : <Redirect to={areas[0].path} replace />}
            </Route>
            {areas.map(({ path, Views }) => (
              <Route key={path} path={path} nest>
                <Views />
              </Route>
            ))}
            <Route>
              <NotFound />
            </Route>
          </Switch>
        </Suspense>
      </ErrorBoundary>
    </NavigationCountProvider>
  );
}

function SignedIn({ onSignOut }: { readonly onSignOut: () => void }) {
  const api = useApi();
  const unsaved = useUnsavedChanges();
  const signOut = async () => {
    if (await unsaved.mayLeave()) onSignOut();
  };
  const query = useQuery({ queryKey: ['me'], queryFn: ({ signal }) => api.get<Me>('/api/me', { signal }) });
  return (
    <Answer query={query} what="what you may do">
      {(me) => (
        <MeProvider value={me}>
          <ToastProvider>
            <DialogProvider>
              <LeaveQuestion />
              <Shell onSignOut={() => void signOut()}>
                <Areas me={me} />
              </Shell>
            </DialogProvider>
          </ToastProvider>
        </MeProvider>
      )}
    </Answer>
  );
}

/** The views of one client. Another one begins with nothing of them. */
function Page({ api, onSignOut }: { readonly api: Api; readonly onSignOut: () => void }) {
  const [queries] = useState(createQueries);
  return (
    <QueryClientProvider client={queries}>
      <ApiProvider value={api}>
        <Router base="/admin" hook={usePagePath}>
          <SignedIn onSignOut={onSignOut} />
        </Router>
      </ApiProvider>
    </QueryClientProvider>
  );
}

interface AppProps {
  readonly session: Session;
  readonly unsaved: UnsavedChanges;
  readonly location: PageLocation;
}

export function App({ session, unsaved, location }: AppProps) {
  const state = useSession(session);
  const api = useMemo(() => createApi(session), [session]);
  const client = state.kind === 'in' ? state.clientId : state.was;
  const [portal] = useState(() => document.createElement('div'));
  const [views] = useState(() => document.createElement('div'));
  const isIn = state.kind === 'in';
  useLayoutEffect(() => {
    if (!isIn) return;
    document.body.append(views);
    // Views that come back have no focus; new ones take it by themselves.
    document.getElementById('main')?.focus();
    return () => views.remove();
  }, [isIn, views]);
  // Dialogs of a view are part of what is taken out of the document.
  const withPortal = useMemo(
    () => ({ ...theme, components: { Portal: Portal.extend({ defaultProps: { target: portal } }) } }),
    [portal],
  );
  return (
    <MantineProvider
      theme={withPortal}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      {state.kind === 'out' && (
        <SignIn api={api} was={state.was} onSignedIn={(next) => session.signIn(next)} />
      )}
      <SessionProvider value={session}>
        <UnsavedProvider value={unsaved}>
          <LocationProvider value={location}>
            <PopUpProvider value={portal}>
              {client !== undefined &&
                createPortal(<Page api={api} onSignOut={session.signOut} />, views, client)}
            </PopUpProvider>
          </LocationProvider>
        </UnsavedProvider>
      </SessionProvider>
    </MantineProvider>
  );
}
