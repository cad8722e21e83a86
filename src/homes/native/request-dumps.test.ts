import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { RequestDump } from '../../core/sessions/request-dump.ts';
import { DAY_MS } from '../../core/time.ts';
import { type DumpRules, isDumpName, writeDump } from './request-dumps.ts';

const KEEP_ALL: DumpRules = {
  maxCount: Number.POSITIVE_INFINITY,
  maxAgeMs: Number.POSITIVE_INFINITY,
  redactBodies: false,
};

function dumpsDir(): string {
  return join(tempDir(), 'sessions', 'ab', 's', 'dumps');
}

function write(
  directory: string,
  { dump = {}, now = NOW, ...rules }: Partial<DumpRules> & { dump?: RequestDump; now?: number } = {},
) {
  const layout = { root: join(directory, '../../../..'), dumps: () => directory };
  return writeDump(layout, 's', { dump, rules: { ...KEEP_ALL, ...rules }, now });
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

describe('writing a request dump', () => {
  it('keeps what went out and came back, with the time', () => {
    const dump: RequestDump = {
      method: 'POST',
      url: 'https://api.example.com/v1/messages',
      headers: { 'content-type': 'application/json' },
      body: { messages: [{ role: 'user', content: 'hello' }], none: null },
      response: { status: 500, headers: { 'retry-after': '3' }, body: 'overloaded' },
      error: 'the server was busy',
    };
    const { path, totalBytes } = write(dumpsDir(), { dump });
    expect(read(path)).toEqual({ at: '2026-01-15T12:00:00.000Z', ...dump });
    expect(totalBytes).toBe(statSync(path).size);
  });

  it('never writes a secret of a header or an address, in the request or in the response', () => {
    const secrets = [
      'sk-ant-api03-aaaabbbbccccdddd',
      'Basic dXNlcjpwYXNzd29yZA==',
      'session=cookie-value',
      'url-token-value',
      'set-cookie-value',
      'user-password',
    ];
    const dump: RequestDump = {
      url: 'https://someone:user-password@api.example.com/v1?api_key=url-token-value&page=2',
      headers: {
        Authorization: `Bearer ${secrets[0]}`,
        'X-API-Key': secrets[0],
        'proxy-authorization': secrets[1],
        cookie: secrets[2],
      },
      response: { headers: { 'set-cookie': ['a=set-cookie-value', 'b=set-cookie-value'] } },
    };
    const text = readFileSync(write(dumpsDir(), { dump }).path, 'utf8');
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(text).toContain('api.example.com');
    expect(text).toContain('page=2');
  });

  it('looks for secrets in bodies when asked, and leaves bodies alone when not', () => {
    const body = { api_key: 'sk-ant-api03-aaaabbbbccccddddeeeeffff', text: 'hello' };
    const plain = readFileSync(write(dumpsDir(), { dump: { body, response: { body } } }).path, 'utf8');
    expect(plain).toContain(body.api_key);
    const redacted = readFileSync(
      write(dumpsDir(), { dump: { body, response: { body } }, redactBodies: true }).path,
      'utf8',
    );
    expect(redacted).not.toContain(body.api_key);
    expect(redacted).toContain('hello');
  });

  it('is for its owner only, whatever the umask', () => {
    const before = process.umask(0);
    const directory = dumpsDir();
    try {
      const { path } = write(directory);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(statSync(directory).mode & 0o777).toBe(0o700);
    } finally {
      process.umask(before);
    }
  });

  it('gives names that sort by time and that it knows again', () => {
    const directory = dumpsDir();
    const paths = [2, 0, 1].map((offset) => write(directory, { now: NOW + offset }).path);
    const names = readdirSync(directory).toSorted();
    expect(names.map((name) => join(directory, name))).toEqual([paths[1], paths[2], paths[0]]);
    expect(names.every(isDumpName)).toBe(true);
  });

  it('keeps two dumps of the same millisecond apart', () => {
    const directory = dumpsDir();
    for (let count = 0; count < 20; count += 1) write(directory);
    expect(readdirSync(directory)).toHaveLength(20);
  });

  it('removes the oldest beyond the count', () => {
    const directory = dumpsDir();
    const paths = [0, 1, 2, 3, 4].map((offset) => write(directory, { now: NOW + offset, maxCount: 3 }).path);
    expect(
      readdirSync(directory)
        .map((name) => join(directory, name))
        .toSorted(),
    ).toEqual(paths.slice(2));
  });

  it('removes what is older than the age, and not what is exactly as old', () => {
    const directory = dumpsDir();
    write(directory, { now: NOW - DAY_MS - 1 });
    const exact = write(directory, { now: NOW - DAY_MS }).path;
    const fresh = write(directory, { maxAgeMs: DAY_MS }).path;
    expect(
      readdirSync(directory)
        .map((name) => join(directory, name))
        .toSorted(),
    ).toEqual([exact, fresh]);
  });

  it('never removes the new one, even when the clock has stepped back behind all others', () => {
    const directory = dumpsDir();
    for (const offset of [0, 1, 2]) write(directory, { now: NOW + offset });
    const { path, totalBytes } = write(directory, { now: NOW - DAY_MS, maxCount: 1 });
    expect(readdirSync(directory).map((name) => join(directory, name))).toEqual([path]);
    expect(totalBytes).toBe(statSync(path).size);
  });

  it('says how much all dumps take together after making room', () => {
    const directory = dumpsDir();
    write(directory, { dump: { error: 'x'.repeat(1000) }, now: NOW - 1 });
    const first = statSync(write(directory, { maxCount: 2 }).path).size;
    const { totalBytes, path } = write(directory, { now: NOW + 1, maxCount: 2 });
    expect(totalBytes).toBe(first + statSync(path).size);
  });

  it('never touches a file that it did not write', () => {
    const directory = dumpsDir();
    mkdirSync(directory, { recursive: true });
    const foreign = [
      'notes.json',
      '20200101T000000000Z.json',
      '20200101T000000000Z-zzzzzzzz.json',
      '20200101T000000000Z-00000000.json.bak',
      '.tmp-1-00',
    ];
    for (const name of foreign) writeFileSync(join(directory, name), 'mine');
    write(directory, { maxCount: 1, maxAgeMs: 1 });
    const { totalBytes, path } = write(directory, { now: NOW + DAY_MS, maxCount: 1, maxAgeMs: 1 });
    for (const name of foreign) expect(readFileSync(join(directory, name), 'utf8')).toBe('mine');
    expect(readdirSync(directory)).toHaveLength(foreign.length + 1);
    expect(totalBytes).toBe(statSync(path).size);
  });
});

describe('the name of a dump', () => {
  it.each([
    '',
    'x.json',
    '20260115T120000000Z-0123456.json',
    '20260115T120000000Z-01234567.json.tmp',
    '20260115T120000000Z-0123456G.json',
    '../20260115T120000000Z-01234567.json',
  ])('is not %j', (name) => {
    expect(isDumpName(name)).toBe(false);
  });

  it('is a time and eight digits', () => {
    expect(isDumpName('20260115T120000000Z-01234567.json')).toBe(true);
  });
});
