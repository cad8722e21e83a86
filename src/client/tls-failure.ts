import { Failure } from '../core/failure.ts';

/** What the system says of a certificate that nobody known here has signed. */
const UNKNOWN = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** A failure of TLS as a sentence; undefined for any other error. The token was not sent. */
export function tlsFailure(place: string, error: unknown): Failure | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const told = UNKNOWN.has(code) ? NOT_TRUSTED : OTHERS[code];
  if (told === undefined) return undefined;
  return new Failure('refused', `The daemon at ${place} ${told.what}`, { hint: told.hint, cause: error });
}

interface Told {
  readonly what: string;
  readonly hint: string;
}

const NOT_TRUSTED: Told = {
  what: 'has a certificate that this machine does not trust.',
  hint: 'If it is yours, set COPPICE_CA_FILE to the certificate that signed it, or to itself where it signed itself.',
};
const NO_TLS: Told = {
  what: 'does not speak TLS.',
  hint: 'If it has no certificate, use http:// in place of https://.',
};
const OTHERS: Readonly<Record<string, Told>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: {
    what: 'has a certificate for another name.',
    hint: 'Use a name that is in its certificate.',
  },
  CERT_HAS_EXPIRED: { what: 'has a certificate that has expired.', hint: 'Put a new one in its place there.' },
  CERT_NOT_YET_VALID: {
    what: 'has a certificate that is not valid yet.',
    hint: 'Check the clocks of both machines.',
  },
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  EPROTO: NO_TLS,
};
