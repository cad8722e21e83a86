import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import type { Verdict } from '../../src/core/gateway/gateway.ts';
import { coppice } from '../e2e/run-coppice.ts';
import { tempDir } from '../support/temp-dir.ts';

const event = (fields: object) => `echo '${JSON.stringify(fields)}' >&3`;
const failed = event({ coppice: 'tool', name: 'bash', ok: false });
const done = event({ coppice: 'tool', name: 'read', ok: true });
/** Waits until that many lines of advice are there, as an agent does that looks before each step. */
const lines = (count: number) => `while [ "$(wc -l < "$COPPICE_ADVICE")" -lt ${count} ]; do sleep 0.02; done`;

/** Runs it and gives back what the agent read. */
async function advised(script: string): Promise<readonly (Verdict & { at: string })[]> {
  const directory = tempDir();
  await using home = await openHome({ path: join(directory, 'home'), env: {} });
  const copy = 'cp "$COPPICE_ADVICE" read.jsonl';
  await home.gateway.run({ command: 'sh', args: ['-c', `${script}\n${copy}`], cwd: directory, maxMinutes: 1 });
  const text = readFileSync(join(directory, 'read.jsonl'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Verdict & { at: string });
}

describe('advice', () => {
  it('reaches the agent while it works, names the tool, and comes once for each step of the ladder', async () => {
    const script = [...Array<string>(3).fill(failed), lines(1), ...Array<string>(3).fill(failed), lines(2)];
    const read = await advised(script.join('\n'));
    expect(read).toMatchObject([
      { kind: 'nudge', causes: [{ rule: 'tool-errors', used: 3, limit: 3 }] },
      { kind: 'warn', causes: [{ rule: 'tool-errors', used: 6, limit: 6 }] },
    ]);
    expect(read[0]?.say).toBe('The tool `bash` failed 3 times in a row. Try another way.');
  });

  it('comes again when a streak has ended and another has grown as long', async () => {
    const streak = [failed, failed, failed];
    const read = await advised([...streak, lines(1), done, ...streak, lines(2)].join('\n'));
    expect(read.map(({ kind, causes }) => [kind, causes[0]?.used])).toEqual([
      ['nudge', 3],
      ['nudge', 3],
    ]);
  });

  it('is said once by the hook that the page shows', async () => {
    const page = readFileSync(new URL('../../docs/formats/events.md', import.meta.url), 'utf8');
    const hook = /^```sh\n(if \[ -s.*?)^```$/ms.exec(page)?.[1] ?? '';
    const directory = tempDir();
    await using home = await openHome({ path: join(directory, 'home'), env: {} });
    const look = `{ ${hook} } >> said`;
    const script = [look, failed, failed, failed, lines(1), look, look].join('\n');
    await home.gateway.run({ command: 'sh', args: ['-euc', script], cwd: directory });
    const said = readFileSync(join(directory, 'said'), 'utf8').trimEnd().split('\n');
    expect(said.map((line) => (JSON.parse(line) as Verdict).kind)).toEqual(['nudge']);
  });

  it('says why the agent is asked to end, before it is', async () => {
    const directory = tempDir();
    await using home = await openHome({ path: join(directory, 'home'), env: {} });
    const burn = event({ coppice: 'usage', model: 'm', inputTokens: 1000 });
    const script = `trap 'cp "$COPPICE_ADVICE" read.jsonl; exit 0' TERM; ${burn}; sleep 60 & wait`;
    await home.gateway.run({ command: 'sh', args: ['-c', script], cwd: directory, maxTokens: 1000 });
    expect(JSON.parse(readFileSync(join(directory, 'read.jsonl'), 'utf8'))).toMatchObject({
      kind: 'stop',
      say: 'This session has used 1,000 tokens of 1,000 tokens. Stop here and tell the user why.',
    });
  });

  it('is private, and gone when the run is over', async () => {
    const directory = tempDir();
    await using home = await openHome({ path: join(directory, 'home'), env: {} });
    const script = [
      'stat -c "%a" "$COPPICE_ADVICE" "$(dirname "$COPPICE_ADVICE")" > modes',
      'echo "$COPPICE_ADVICE" > path; touch "$COPPICE_ADVICE.seen"',
    ].join('\n');
    await home.gateway.run({ command: 'sh', args: ['-c', script], cwd: directory });
    expect(readFileSync(join(directory, 'modes'), 'utf8')).toBe('600\n700\n');
    const path = readFileSync(join(directory, 'path'), 'utf8').trim();
    expect(existsSync(dirname(path))).toBe(false);
  });

  it('reaches a job that runs by the clock', async () => {
    const directory = tempDir();
    await using home = await openHome({ path: join(directory, 'home'), env: {} });
    const scheduler = await home.scheduler();
    const script = [failed, failed, failed, lines(1), 'cp "$COPPICE_ADVICE" read.jsonl'].join('\n');
    await scheduler.add('check', { schedule: '0 7 * * *', command: ['sh', '-c', script], workdir: directory });
    expect(await scheduler.run('check')).toMatchObject({ outcome: 'done' });
    expect(statSync(join(directory, 'read.jsonl')).size).toBeGreaterThan(0);
  });

  it('of a run whose supervisor was killed goes with what is left of the run', async () => {
    const directory = tempDir();
    const path = join(directory, 'home');
    const script = 'echo "$COPPICE_ADVICE" > path; kill -9 $PPID; sleep 60';
    await coppice(path, ['run', '--', 'sh', '-c', script], { cwd: directory });
    const advice = readFileSync(join(directory, 'path'), 'utf8').trim();
    expect(existsSync(advice)).toBe(true);
    await using home = await openHome({ path, env: {} });
    await home.gateway.closeOrphans();
    expect(readdirSync(tmpdir())).not.toContain(basename(dirname(advice)));
  });
});
