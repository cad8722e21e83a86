import { useEffect, useState } from 'preact/hooks';
import type { PagePath } from '../core/page-paths.ts';
import type { ApiFailure } from './api/api-failure.ts';
import { connection, signedIn } from './api/connection.ts';
import { keepInTouch } from './api/keep-in-touch.ts';
import { signInFirst } from './api/sign-in.ts';
import { AttentionPage } from './pages/attention.tsx';
import { RunsPage } from './pages/runs.tsx';
import { SessionPage } from './pages/session.tsx';
import { SessionsPage } from './pages/sessions.tsx';
import { SignedOut } from './pages/signed-out.tsx';
import { StoragePage } from './pages/storage.tsx';
import { Connection } from './parts/connection.tsx';
import { Head } from './parts/head.tsx';
import { KeysHelp } from './parts/keys-help.tsx';
import { Loading } from './parts/states.tsx';
import { place } from './place.ts';
import { Receipt } from './plan/receipt.tsx';

const PAGES: Readonly<Record<PagePath, () => preact.JSX.Element>> = {
  '/': AttentionPage,
  '/sessions': SessionsPage,
  '/session': SessionPage,
  '/storage': StoragePage,
  '/runs': RunsPage,
};

/** The whole page. Nothing of the home is asked for before the browser is signed in. */
export function App() {
  const [failure, setFailure] = useState<ApiFailure | undefined>();
  useEffect(() => {
    const signIn = () => void signInFirst().then(setFailure);
    signIn();
    // A link that is opened where the page is already only changes what stands behind the #.
    globalThis.addEventListener('hashchange', signIn);
    const ended = keepInTouch();
    return () => {
      globalThis.removeEventListener('hashchange', signIn);
      ended();
    };
  }, []);
  if (signedIn.value === false) return <SignedOut failure={failure} />;
  if (signedIn.value === undefined) return <Waiting failure={failure} />;
  const Page = PAGES[place.value.path];
  return (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <Head />
      <Connection />
      <main id="main" tabIndex={-1}>
        <Page />
      </main>
      <Receipt />
      <KeysHelp />
    </>
  );
}

function Waiting({ failure }: { readonly failure: ApiFailure | undefined }) {
  if (failure?.code === 'refused') return <SignedOut failure={failure} />;
  return <main class="alone">{connection.value === 'lost' ? <Connection /> : <Loading what="who you are" />}</main>;
}
