import type { ApiFailure } from '../api/api-failure.ts';

/** For whoever is not signed in: why, and what to type. */
export function SignedOut({ failure }: { readonly failure: ApiFailure | undefined }) {
  return (
    <main class="alone" id="main">
      <h1>Coppice</h1>
      {failure?.code === 'refused' ? <p role="alert">{failure.message}</p> : <p>This browser is not signed in.</p>}
      <p>Type this on the machine of the daemon; it opens a link that works once:</p>
      <pre>
        <code>coppice open</code>
      </pre>
      <p class="quiet">
        From another machine: <code>coppice open --remote {location.origin}</code>
      </p>
    </main>
  );
}
