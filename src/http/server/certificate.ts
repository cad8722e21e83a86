import { X509Certificate } from 'node:crypto';
import { closeSync, fstatSync, readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { openOwnFile } from '../../app/doctor/open-own-file.ts';
import { errorText } from '../../core/error-text.ts';
import { Failure } from '../../core/failure.ts';
import { shellWord } from '../../core/shell-word.ts';
import { type EpochMs, isoTime } from '../../core/time.ts';

/** Where a certificate and its key are, both as PEM. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** Whether it was made for this name or address. */
  readonly isFor: (name: string) => boolean;
}

/** Reads a certificate and its key, and sees that they belong together and can be used now. The key must be its owner's alone. */
export function readCertificate({ cert: certFile, key: keyFile }: CertificateFiles, now: EpochMs): Certificate {
  const cert = readText(certFile, 'certificate');
  const key = readText(keyFile, 'key', true);
  const parsed = understood(certFile, cert);
  if (Date.parse(parsed.validTo) <= now) {
    throw new Failure('refused', `The certificate in ${certFile} expired at ${isoTime(Date.parse(parsed.validTo))}.`, {
      hint: 'Put a new one in its place.',
    });
  }
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new Failure('refused', `The key in ${keyFile} does not belong to the certificate in ${certFile}.`, {
      hint: 'Give the two that were made together, as PEM and without a passphrase.',
      cause: error,
    });
  }
  const isFor = (name: string) => {
    if (isIP(name) !== 0) return parsed.checkIP(name) !== undefined;
    return /^[\w.-]{1,253}$/.test(name) && parsed.checkHost(name) !== undefined;
  };
  return { cert, key, isFor };
}

/** The same as long as nobody replaces or writes one of the files. */
export function certificateMark({ cert, key }: CertificateFiles): string {
  return [cert, key]
    .map((path) => statSync(path, { throwIfNoEntry: false, bigint: true }))
    .map((found) => (found === undefined ? 'none' : `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}`))
    .join(' ');
}

function understood(file: string, cert: string): X509Certificate {
  try {
    return new X509Certificate(cert);
  } catch (error) {
    throw new Failure('refused', `${file} holds no certificate.`, {
      hint: 'Give a file in the form that begins with -----BEGIN CERTIFICATE-----.',
      cause: error,
    });
  }
}

function readText(path: string, what: string, isPrivate = false): string {
  const handle = opened(path, what);
  try {
    if (isPrivate && process.platform !== 'win32' && (fstatSync(handle).mode & 0o077) !== 0) {
      throw new Failure('refused', `Others can read the key in ${path}, so it is no secret any more.`, {
        hint: `If nobody has, close it with: chmod 600 ${shellWord(path)}`,
      });
    }
    return readFileSync(handle, 'utf8');
  } finally {
    closeSync(handle);
  }
}

function opened(path: string, what: string): number {
  try {
    return openOwnFile(path);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('refused', `The ${what} in ${path} cannot be read (${errorText(error)}).`, {
      hint: 'Check the path and who owns the file.',
      cause: error,
    });
  }
}
