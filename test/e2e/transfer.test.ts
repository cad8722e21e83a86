import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE_IDS, HOSTILE_TEXT, makeExampleHome } from './example-home.ts';
import { coppice, coppiceJson, sandbox } from './run-coppice.ts';

const root = sandbox();
const home = join(root, 'home');
const exported = join(root, 'some.jsonl');
const IDS = ['alpha-disk', 'alpha-two', 'hostile\u202eid', ...HOSTILE_IDS];

beforeAll(async () => {
  await makeExampleHome(home);
  await coppice(home, ['sessions', 'export', '--out', exported, '--', ...IDS]);
});

describe('coppice sessions export', () => {
  it('writes a file that only its owner can read, and says how much', async () => {
    const file = join(root, 'one.jsonl');
    const { code, stdout, stderr } = await coppice(home, ['sessions', 'export', 'alpha-d', '--out', 'one.jsonl']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Wrote 1 session to \/.*\/one\.jsonl \(.* KB\)\.\n$/);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('gives programs the file, its size and the sessions', async () => {
    const file = join(root, 'two.md');
    const report = await coppiceJson(home, ['sessions', 'export', 'alpha-d', 'many', '--format', 'md', '--out', file]);
    const sizeBytes = statSync(file).size;
    expect(report).toEqual({ schemaVersion: 1, file, format: 'md', sizeBytes, sessions: ['alpha-disk', 'many'] });
  });

  it('asks for a file when stdout is for the report', async () => {
    const { code, stdout, stderr } = await coppice(home, ['sessions', 'export', 'many', '--json']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'usage', hint: 'Add --out FILE, or leave --json out.' },
    });
  });

  it('prints the same to stdout as into a file', async () => {
    const { code, stdout } = await coppice(home, ['sessions', 'export', '--', ...IDS]);
    expect(code).toBe(0);
    expect(stdout).toBe(readFileSync(exported, 'utf8'));
    for (const line of stdout.trimEnd().split('\n')) expect(() => JSON.parse(line) as unknown).not.toThrow();
  });

  it('writes pages for reading in which nothing of the content is obeyed', async () => {
    const md = await coppice(home, ['sessions', 'export', 'alpha-disk', '--format', 'md']);
    expect(md.stdout).toContain('Disk trouble');
    expect(md.stdout).toContain('Remove the old logs.');
    const html = await coppice(home, ['sessions', 'export', 'alpha-disk', 'hostile', '--format', 'html']);
    expect(html.stdout).toMatch(/^<!doctype html>/i);
    expect(html.stdout).toContain('Remove the old logs.');
    expect(html.stdout).not.toContain('\u001b');
    expect(html.stdout).not.toMatch(/<script/i);
  });

  it.concurrent.each(['jsonl', 'md', 'html'])('leaves secrets out of %s on request', async (format) => {
    const args = ['sessions', 'export', 'alpha-disk', '--format', format];
    const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';
    expect((await coppice(home, args)).stdout).toContain(secret);
    const { code, stdout } = await coppice(home, [...args, '--redact']);
    expect(code).toBe(0);
    expect(stdout).toContain('The disk is full again.');
    expect(stdout).not.toContain(secret);
  });
});

describe('coppice sessions import', () => {
  const other = join(root, 'other');

  it('brings back exactly what was exported, and nothing twice', async () => {
    const first = await coppice(root, ['sessions', 'import', exported, '--home', other]);
    expect(first).toEqual({ code: 0, stdout: 'Imported 9 sessions with 12 messages.\n', stderr: '' });
    const again = await coppice(other, ['sessions', 'import', exported]);
    expect(again).toEqual({ code: 0, stdout: 'Imported nothing. 9 sessions were there already.\n', stderr: '' });

    const { stdout } = await coppice(other, ['sessions', 'export', '--', ...IDS]);
    expect(content(stdout)).toEqual(content(readFileSync(exported, 'utf8')));
    const { messages } = await coppiceJson<{ messages: unknown }>(other, ['sessions', 'show', 'hostile']);
    expect(messages).toMatchObject([{ content: HOSTILE_TEXT }]);
  });

  it('tells programs what became of each session', async () => {
    const report = await coppiceJson(other, ['sessions', 'import', exported]);
    expect(report).toMatchObject({ schemaVersion: 1, leftAlone: 0 });
    const { outcomes } = report as { outcomes: { status: string; id: string }[] };
    expect(outcomes.map(({ id }) => id)).toEqual(IDS);
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['already-there']));
  });

  it('takes a folder of loose transcripts and says what it did not look at', async () => {
    const folder = join(root, 'loose', 'deeper');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'one.jsonl'), '{"role":"user","content":"hello from a loose file"}\n');
    writeFileSync(join(folder, 'notes.txt'), 'not for import\n');
    const loose = join(root, 'loose-home');
    const { code, stdout, stderr } = await coppice(loose, ['sessions', 'import', 'loose']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe('Imported 1 session with 1 message. 1 other file was not looked at.\n');
    expect((await coppice(loose, ['sessions', 'search', 'loose'])).stdout).toContain('hello from a [loose] file');
  });

  it('leaves a session alone that has other messages under the same id', async () => {
    const changed = join(root, 'changed.jsonl');
    await coppice(home, ['sessions', 'export', 'many', '--out', changed]);
    const third = join(root, 'third');
    await coppice(third, ['sessions', 'import', changed]);
    const session = await coppiceJson<{ messages: unknown }>(third, ['sessions', 'show', 'many']);
    writeFileSync(join(root, 'many.jsonl'), readFileSync(changed, 'utf8').replace('Line 30', 'Line XX'));
    const { code, stdout, stderr } = await coppice(third, ['sessions', 'import', join(root, 'many.jsonl')]);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^Imported nothing\. 1 (session|could)/);
    expect(stderr).toMatch(/^coppice: .*\n.+\n/);
    expect(await coppiceJson<{ messages: unknown }>(third, ['sessions', 'show', 'many'])).toEqual(session);
  });
});

/** What an export says of sessions and messages. Files belong to the machine, and the last line of each sums it up. */
function content(text: string): object[] {
  const lines = text.trimEnd().split('\n').slice(1);
  return lines
    .map((line) => JSON.parse(line) as { kind: string })
    .filter(({ kind }) => kind !== 'session-end')
    .map((line) => ({ ...line, transcriptBytes: 0, dumpBytes: 0 }));
}
