import { signal } from '@preact/signals';

/** Whether the daemon answers. `restarted`: another one does than before, so what is shown may be old. */
export const connection = signal<'up' | 'lost' | 'restarted'>('up');

/** Whether this browser is signed in; undefined until the daemon has said so. */
export const signedIn = signal<boolean | undefined>(undefined);

let era: string | undefined;

/** Takes in that an answer came, whatever it says. Requests are numbered within one life of the daemon. */
export function heard(response: Response): void {
  const [now] = (response.headers.get('x-request-id') ?? '').split('-');
  const isOther = era !== undefined && now !== undefined && now !== '' && now !== era;
  if (now !== undefined && now !== '') era = now;
  if (isOther) connection.value = 'restarted';
  else if (connection.value === 'lost') connection.value = 'up';
}

/** Takes in what an answer to a request with a proof says of whoever sent it. */
export function known(response: Response): void {
  if (response.status === 401) signedIn.value = false;
  else if (response.ok) signedIn.value = true;
}

export function unheard(): void {
  connection.value = 'lost';
}
