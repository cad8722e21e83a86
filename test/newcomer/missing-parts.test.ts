import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { start } from '../e2e/run-coppice.ts';
import { meetAll } from './meet-all.ts';

meetAll('a machine that lacks something', [
  {
    met: 'no git',
    line: 'checkpoints take .',
    code: 'failed',
    says: /^git is not installed, and checkpoints need it\.$/,
    hint: /^Install git \(for example: apt-get install git\)/,
    when: (folder) => {
      mkdirSync(join(folder, 'project'));
      return { cwd: join(folder, 'project'), env: { PATH: join(folder, 'project') } };
    },
  },
  {
    met: 'a port that is in use',
    alone: true,
    line: 'serve',
    code: 'locked',
    says: /^Another program listens on port \d+ already\.$/,
    hint: /--port N\.$/,
    when: async () => {
      const server = createServer();
      await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
      const { port } = server.address() as { port: number };
      return { words: ['--port', String(port)], stop: () => server.close() };
    },
  },
  {
    met: 'no daemon',
    line: 'sessions list --remote http://127.0.0.1:9',
    code: 'failed',
    says: /^No daemon answers at http:\/\/127\.0\.0\.1:9\.$/,
    hint: /coppice serve$/,
    when: () => ({ env: { COPPICE_TOKEN: 'x' } }),
  },
  {
    met: 'no token',
    line: 'sessions list --remote http://127.0.0.1:9',
    code: 'usage',
    says: /^There is no token in .*token\.$/,
    hint: /^Set COPPICE_TOKEN, .*coppice serve$/,
  },
  {
    met: 'an address that is none',
    line: 'sessions list --remote nowhere',
    code: 'usage',
    says: /^'nowhere' is not where a daemon can be\.$/,
    hint: /http:\/\/127\.0\.0\.1:7717/,
  },
  {
    met: 'a wrong token',
    line: 'sessions list',
    code: 'refused',
    says: /^The daemon at http:.* does not accept this token\.$/,
    hint: /coppice serve$/,
    when: async (folder) => {
      const daemon = start(join(folder, 'home'), ['serve', '--port', '0', '--json']);
      const [line] = (await daemon.stdout.setEncoding('utf8').take(1).toArray()) as [string];
      const { url } = JSON.parse(line) as { url: string };
      return { words: ['--remote', url], env: { COPPICE_TOKEN: 'wrong' }, stop: () => daemon.kill() };
    },
  },
]);
