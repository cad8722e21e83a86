import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureIo } from '../../../test/capture-io.ts';
import { main } from '../main.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
const present = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-completion-'));
  mkdirSync(join(folder, 'work', 'my folder'), { recursive: true });
  writeFileSync(join(folder, 'work', 'my file.jsonl'), '');
  for (const shell of SHELLS) {
    const { io, out } = captureIo();
    expect(await main(['completion', shell], io)).toBe(0);
    writeFileSync(join(folder, shell), out());
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(SHELLS)('the script for %s', (shell) => {
  it.runIf(present(shell))('is one that the shell can read', () => {
    execFileSync(shell, ['-n', join(folder, shell)]);
  });
});

/** What bash offers at the end of a line, given as the words bash makes of it. */
function offered(...words: readonly string[]): readonly string[] {
  const script = `source "$0"; COMP_WORDS=(coppice "$@"); COMP_CWORD=$#; _coppice; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const lines = execFileSync('bash', ['-c', script, join(folder, 'bash'), ...words], {
    cwd: join(folder, 'work'),
    encoding: 'utf8',
  });
  return lines.split('\n').filter((line) => line !== '');
}

describe.runIf(present('bash'))('in bash', () => {
  it('completes commands and their subcommands', () => {
    expect(offered('')).toEqual([
      'status',
      'plan',
      'explain',
      'apply',
      'undo',
      'runs',
      'trash',
      'maintain',
      'clear-copies',
      'expiring',
      'homes',
      'sessions',
      'usage',
      'ledger',
      'checkpoints',
      'serve',
      'open',
      'run',
      'cron',
      'budget',
      'watch',
      'audit',
      'token',
      'service',
      'config',
      'doctor',
      'completion',
      'help',
    ]);
    expect(offered('sessions', 'un')).toEqual(['unpin']);
    expect(offered('config', 's')).toEqual(['show', 'schema']);
    expect(offered('sessions', 'stats', '')).toEqual([]);
  });

  it('completes options of the command, and global ones everywhere', () => {
    expect(offered('sessions', 'list', '--s')).toEqual(['--since', '--sort', '--source', '--set']);
    expect(offered('--j')).toEqual(['--json']);
    expect(offered('doctor', '--j')).toEqual(['--json']);
  });

  it('completes values that are choices, in both ways of writing them', () => {
    expect(offered('sessions', 'list', '--sort', '')).toEqual(['last', 'size', 'messages', 'tokens', 'cost', 'bytes']);
    expect(offered('sessions', 'list', '--sort', '=', 'b')).toEqual(['bytes']);
    expect(offered('sessions', 'list', '--sort', '=')).toHaveLength(6);
    expect(offered('completion', 'f')).toEqual(['fish']);
  });

  it('offers nothing for a value that only the person knows', () => {
    expect(offered('sessions', 'list', '--source', '')).toEqual([]);
    expect(offered('--set', '')).toEqual([]);
  });

  it('does not mistake the value of a global option for a command', () => {
    expect(offered('--home', 'sessions', 'con')).toEqual(['config']);
    expect(offered('--home', '=', 'sessions', 'config', 'pa')).toEqual(['path']);
  });

  it('completes files to import and to write, and directories for the home, spaces included', () => {
    expect(offered('sessions', 'import', 'my').toSorted()).toEqual(['my file.jsonl', 'my folder']);
    expect(offered('sessions', 'import', 'a.jsonl', 'my')).toHaveLength(2);
    expect(offered('sessions', 'export', 'x', '--out', 'my')).toHaveLength(2);
    expect(offered('--home', '')).toEqual(['my folder']);
  });
});

function offeredByFish(line: string): readonly string[] {
  const script = `source ${join(folder, 'fish')}; complete -C'${line}'`;
  const lines = execFileSync('fish', ['--no-config', '-c', script], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((offer) => offer.split('\t')[0] || []);
}

describe.runIf(present('fish'))('in fish', () => {
  it('completes commands, options and choices', () => {
    expect(offeredByFish('coppice sessions li')).toEqual(['list']);
    expect(offeredByFish('coppice sessions list --so')).toEqual(['--sort', '--source']);
    expect(offeredByFish('coppice --home sessions sessions export --format ')).toEqual(['html', 'jsonl', 'md']);
  });
});
