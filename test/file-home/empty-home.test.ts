import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { CLAUDE_NOW, claudeHome, claudeId } from '../support/claude-home.ts';
import { FILE_NOW } from '../support/file-home-scene.ts';
import { putTask } from '../support/task-scene.ts';
import { tempDir } from '../support/temp-dir.ts';

const TASKS = '.config/Code/User/globalStorage/saoudrizwan.claude-dev';

/** Homes of which nothing is left to know them by once their only session went. */
const HOMES = [
  {
    agent: 'Cline',
    below: TASKS,
    id: '1700000000001',
    now: FILE_NOW,
    build: (home: string, id: string) => putTask(home, { id }),
  },
  {
    agent: 'Claude Code',
    below: '.claude',
    id: claudeId('1'),
    now: CLAUDE_NOW,
    build(home: string, id: string) {
      claudeHome(home).session(id);
      rmSync(join(home, 'sessions'), { recursive: true });
    },
  },
];

describe('a home from which every session went', () => {
  it.each(HOMES)('is still one of $agent, and gets them back', async ({ agent, below, id, now, build }) => {
    const path = join(tempDir(), below);
    build(path, id);
    const open = () => openHome({ path, clock: { now: () => now } });
    const removed = await (async () => {
      await using home = await open();
      return await home.apply(await home.plan({ kind: 'delete', ids: [id] }));
    })();
    expect(removed.done).toBe(1);
    for (const name of readdirSync(path)) if (name !== '.coppice') rmSync(join(path, name), { recursive: true });
    await using home = await open();
    expect(home.foreign?.agent).toBe(agent);
    await home.undo(removed.run.id);
    expect(await home.sessions.get(id)).toBeDefined();
  });
});
