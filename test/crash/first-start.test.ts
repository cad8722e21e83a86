import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { captureIo } from '../capture-io.ts';
import { TORTURE } from '../support/campaign.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { dieAtChange } from '../support/hermes-faults.ts';
import { STRACE_WORKS, strace } from '../support/strace.ts';

const BIN = resolve(import.meta.dirname, '../../bin/coppice.js');
const INIT = ['config', 'init'];
const NEXT = [INIT, ['sessions', 'list'], ['status'], ['doctor'], ['maintain']];
/** The calls by which a home comes to be. */
const CALLS = ['mkdir', 'chmod', 'openat', 'fchmod', 'write', 'pwrite64', 'fsync', 'fdatasync', 'rename', 'ftruncate'];

async function say(home: string, line: readonly string[]) {
  const { io, out, err } = captureIo();
  const code = await main([...line, '--home', home], io);
  return { code, text: out() + err() };
}

/** As somebody who names no home, for whom every command makes one. */
async function start(home: string, line: readonly string[]): Promise<void> {
  await main(line, captureIo({ env: { COPPICE_HOME: home } }).io);
}

/** What a person meets who goes on after a first start that died: the same again, which is what each refusal advises, or anything. */
async function expectBegunAgain(home: string, where: string, turn = 0): Promise<void> {
  const dead = `${home}-dead`;
  if (existsSync(home)) execFileSync('cp', ['-a', home, dead]);
  const lines = TORTURE ? NEXT : NEXT.slice(turn % NEXT.length).slice(0, 1);
  for (const line of lines) {
    rmSync(home, { recursive: true, force: true });
    if (existsSync(dead)) execFileSync('cp', ['-a', dead, home]);
    const isMade = existsSync(join(home, 'state.db')) && existsSync(join(home, 'config.yaml'));
    const first = await say(home, line);
    if (line === INIT && isMade)
      expect(first, where).toMatchObject({ code: 5, text: expect.stringContaining('already') });
    else if (first.code === 10) expect(first.text, where).toContain('coppice config init');
    else expect({ where, line, ...first, text: '' }).toEqual({ where, line, code: 0, text: '' });
    if (first.code === 10) expect({ where, ...(await say(home, INIT)) }).toMatchObject({ where, code: 0 });
    expect({ where, ...(await say(home, ['sessions', 'list'])) }).toMatchObject({ where, code: 0 });
  }
}

describe('a first start that died', () => {
  it.each([INIT, ['sessions', 'list']])(
    'is begun again by the next command, whatever it died at: %s %s',
    async (...line) => {
      const directory = tempDirInMemory();
      let number = 1;
      for (let died = true; died; number += 1) {
        const home = join(directory, `home-${number}`);
        died = await dieAtChange(number, () => start(home, line));
        await expectBegunAgain(home, `died before change ${number}`, number);
      }
      expect(number).toBeGreaterThan(4);
    },
    600_000,
  );

  it.runIf(TORTURE && STRACE_WORKS)(
    'is begun again after a kill at any system call',
    async () => {
      const directory = tempDirInMemory();
      for (const call of CALLS) {
        for (let when = 1, reached = true; reached; when += 1) {
          const home = join(directory, `${call}-${when}`);
          const files = ['', '/config.yaml', '/state.db', '/state.db-wal', '/state.db-shm', '/state.db-journal'];
          const under = strace({
            calls: [call],
            paths: [directory, ...files.map((file) => `${home}${file}`)],
            inject: `${call}:signal=SIGKILL:when=${when}`,
          });
          const [command, ...options] = [...under, process.execPath, BIN, ...INIT, '--home', home];
          reached = isKilled(command, options);
          await expectBegunAgain(home, `killed at ${call} ${when}`);
        }
      }
    },
    3_600_000,
  );

  it('leaves a configuration that somebody wrote before as it is', async () => {
    const home = join(tempDirInMemory(), 'home');
    mkdirSync(home);
    writeFileSync(join(home, 'config.yaml'), 'trash:\n  grace_days: 9\n', { mode: 0o600 });
    const { code, text } = await say(home, INIT);
    expect({ code, text }).toMatchObject({ code: 0, text: expect.stringContaining('stays as it is') });
    expect(readFileSync(join(home, 'config.yaml'), 'utf8')).toBe('trash:\n  grace_days: 9\n');
    expect((await say(home, INIT)).code).toBe(5);
  });

  it.each([
    ['a file of somebody', (home: string) => writeFileSync(join(home, 'notes.txt'), 'mine')],
    ['a folder with such a name', (home: string) => mkdirSync(join(home, `.tmp-2-${'0'.repeat(16)}`))],
    [
      'a file with such a name that others may read',
      (home: string) => writeFileSync(join(home, `.tmp-2-${'0'.repeat(16)}`), '', { mode: 0o644 }),
    ],
  ])('is not assumed where there is %s beside what it leaves', async (_, add) => {
    const home = join(tempDirInMemory(), 'home');
    mkdirSync(home);
    writeFileSync(join(home, `.tmp-1-${'0'.repeat(16)}`), '## Coppice', { mode: 0o600 });
    add(home);
    const before = readdirSync(home);
    expect(await say(home, INIT)).toMatchObject({ code: 5, text: expect.stringContaining('did not write') });
    expect(readdirSync(home)).toEqual(before);
  });
});

function isKilled(command: string, options: readonly string[]): boolean {
  try {
    execFileSync(command, options, { stdio: 'ignore' });
    return false;
  } catch (error) {
    return (error as { signal?: string }).signal === 'SIGKILL' || (error as { status?: number }).status === 137;
  }
}
