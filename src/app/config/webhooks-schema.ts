import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { quote } from './config-values.ts';

/** A whole path, or the word `none`. Where the daemon was started is nobody's business. */
function pathOrNone() {
  return z.string({ error: notAPath }).refine((text) => text === 'none' || isAbsolute(text), { error: notAPath });
}

function notAPath({ input }: { readonly input?: unknown }): string {
  return `${quote(input)} is not a whole path. Write one, such as /etc/coppice/x, or none.`;
}

const variable = z
  .string({ error: ({ input }) => `${quote(input)} is not the name of a variable.` })
  .regex(/^[A-Za-z_]\w{0,63}$/, {
    error: () =>
      'This is not the name of a variable. Write its name, such as COPPICE_WEBHOOK_SECRET, and never the secret.',
  });

export const serveSchema = z.strictObject({
  tls_cert: pathOrNone()
    .default('none')
    .describe('Speak TLS with the certificate in this file (PEM); none speaks plain HTTP.'),
  tls_key: pathOrNone().default('none').describe('The key of the certificate, in a file that only you may read.'),
});

export const webhooksSchema = z
  .strictObject({
    secret_file: pathOrNone()
      .default('none')
      .describe(
        'Sign what goes to webhooks with the secret in this file, which only you may read; none signs nothing.',
      ),
    secret_env: variable
      .default('none')
      .describe('The same with the secret in this variable of the environment of coppice serve; agents do not get it.'),
  })
  .refine(({ secret_file: file, secret_env: name }) => file === 'none' || name === 'none', {
    error: 'The secret is in a file or in a variable. Write secret_file or secret_env, not both.',
  });
