import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { errorText } from '../../core/error-text.ts';
import { type Clock, SECOND_MS } from '../../core/time.ts';
import { type Certificate, type CertificateFiles, certificateMark, readCertificate } from './certificate.ts';

/** Whoever connects and does not go on to speak TLS is let go soon. */
const HANDSHAKE_MS = 10 * SECOND_MS;

export interface WebServerParts {
  readonly options: ServerOptions;
  readonly onRequest: RequestListener;
  /** Told of each connection, by the socket that its requests bear. */
  readonly onConnection: (socket: Socket) => void;
  readonly tls: CertificateFiles | undefined;
  readonly clock: Clock;
}

/** A server, with TLS where there is a certificate. */
export interface WebServer {
  readonly server: Server | SecureServer;
  /** Whether the certificate was made for this name; never without one. */
  readonly isFor: (name: string) => boolean;
  /** Takes up a certificate that was replaced since. Returns what is to be said of it. One that cannot be used changes nothing. */
  renew(): string | undefined;
}

export function createWebServer(parts: WebServerParts): WebServer {
  const { options, onRequest, onConnection, tls, clock } = parts;
  if (tls === undefined) {
    const server = createServer(options, onRequest).on('connection', onConnection);
    return { server, isFor: () => false, renew: () => undefined };
  }
  let mark = certificateMark(tls);
  let current: Certificate = readCertificate(tls, clock.now());
  const secure = { cert: current.cert, key: current.key, minVersion: 'TLSv1.2' as const };
  const server = createSecureServer({ ...options, ...secure, handshakeTimeout: HANDSHAKE_MS }, onRequest);
  server.on('secureConnection', onConnection);
  return {
    server,
    isFor: (name) => current.isFor(name),
    renew() {
      const now = certificateMark(tls);
      if (now === mark) return undefined;
      mark = now;
      try {
        current = readCertificate(tls, clock.now());
        server.setSecureContext({ ...secure, cert: current.cert, key: current.key });
        return 'The certificate was replaced; new connections get the new one.';
      } catch (error) {
        return `The new certificate is not used, the one before goes on: ${errorText(error)}`;
      }
    },
  };
}
