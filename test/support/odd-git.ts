import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from './temp-dir.ts';

/**
 * Puts a `git` before all others in the path of this process that does something else when it is asked for one command, until it
 * is disposed of. In that line of shell, `$git` is the real one.
 */
export function oddGit(command: string, line: string): Disposable {
  const bin = tempDir();
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh
git=${git}
case " $* " in *" ${command} "*) ${line}; exit ;; esac
exec $git "$@"
`;
  writeFileSync(join(bin, 'git'), script);
  chmodSync(join(bin, 'git'), 0o755);
  const path = process.env['PATH'];
  process.env['PATH'] = `${bin}:${path}`;
  return {
    [Symbol.dispose]() {
      process.env['PATH'] = path;
    },
  };
}
