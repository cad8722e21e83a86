import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeSessions } from '../../../../test/support/remove-sessions.ts';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import type { NewMessage } from '../../../core/sessions/message.ts';
import type { SessionStore } from '../../../core/stores/session-store.ts';
import { openSqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { EXPORT_FORMATS, type ExportFormat, exportSessions } from './export-sessions.ts';

const NOW = Date.UTC(2026, 0, 15, 12);

let dir: string;
let store: SessionStore;

beforeEach(async () => {
  dir = tempDir();
  store = await openSqliteStore({
    path: join(dir, 'state.db'),
    scratchDir: dir,
    clock: { now: () => NOW },
    transcripts: { write: ({ mark }) => ({ mark, problems: [] }) },
  });
});

afterEach(async () => {
  await store[Symbol.asyncDispose]();
});

describe('exportSessions', () => {
  it.each(EXPORT_FORMATS)('fails before the first piece of %s when an id is unknown', async (format) => {
    await store.create({ id: 'a', source: 'cli' });
    const pieces = exportSessions(store, { ids: ['a', 'nobody'], format, redact: false });
    await expect(pieces.next()).rejects.toMatchObject({ code: 'not-found' });
  });

  it('writes each session once, in the order asked for', async () => {
    for (const id of ['a', 'b']) await store.create({ id, source: 'cli' });
    const lines = (await text({ ids: ['b', 'a', 'b'], format: 'jsonl' })).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line)).map(({ kind, id, sessions }) => [kind, id ?? sessions])).toEqual([
      ['coppice-export', 2],
      ['session', 'b'],
      ['session-end', 'b'],
      ['session', 'a'],
      ['session-end', 'a'],
    ]);
  });

  it('fails when a session is removed while it is being written', async () => {
    await store.create({ id: 'a', source: 'cli' });
    await store.append('a', [{ role: 'user', content: 'one' }]);
    const pieces = exportSessions(store, { ids: ['a'], format: 'jsonl', redact: false });
    await pieces.next();
    await pieces.next();
    await removeSessions(store, ['a']);
    await expect(rest(pieces)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('leaks no planted secret in any format, wherever it stood', async () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9]{30}$/).map((random) => `sk-ant-1${random}`);
    const place = fc.constantFrom(...PLACES);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(secret, place, async (planted, put) => {
        const id = `s${(count += 1)}`;
        await store.create({ id, source: 'cli', title: `about ${planted}`, workdir: '/repo' });
        await store.append(id, [put(planted)]);
        for (const format of EXPORT_FORMATS) {
          expect(await text({ ids: [id], format })).toContain(planted);
          const redacted = await text({ ids: [id], format, redact: true });
          expect(redacted).not.toContain(planted);
          expect(redacted).toContain('/repo');
        }
      }),
      { numRuns: 40 },
    );
  });
});

const PLACES: readonly ((secret: string) => NewMessage)[] = [
  (secret) => ({ role: 'user', content: `use ${secret}, please` }),
  (secret) => ({ role: 'user', content: [{ type: 'text', text: secret }] }),
  (secret) => ({ role: 'user', content: [{ type: 'tool_result', content: [{ type: 'text', text: secret }] }] }),
  (secret) => ({ role: 'assistant', content: '', toolCalls: [{ id: '1', name: 'x', arguments: { a: [secret] } }] }),
  (secret) => ({ role: 'assistant', content: '', toolCalls: [{ id: '1', name: 'x', arguments: `{"k":"${secret}"}` }] }),
  (secret) => ({ role: 'tool', content: `env:\nAPI_KEY=${secret}\n`, failed: true }),
  (secret) => ({ role: 'user', content: 'x', metadata: { headers: { authorization: secret } } }),
  (secret) => ({ role: 'user', content: [{ type: 'image_url', image_url: { url: `https://a/?key=${secret}` } }] }),
];

interface Request {
  readonly ids: readonly string[];
  readonly format: ExportFormat;
  readonly redact?: boolean;
}

function text({ redact = false, ...request }: Request): Promise<string> {
  return rest(exportSessions(store, { ...request, redact }));
}

async function rest(pieces: AsyncIterable<string>): Promise<string> {
  let all = '';
  for await (const piece of pieces) all += piece;
  return all;
}
