import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { DAY_MS } from '../../core/time.ts';
import type { OwnRetention } from '../../keeping/file-home/file-agent.ts';
import { errorCode } from '../../platform/error-code.ts';
import { readRegular } from '../../platform/files/open-regular.ts';
import { isMain } from './claude-places.ts';

/** Where an administrator sets what holds for all users of a machine. */
const MANAGED: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: '/etc/claude-code',
  darwin: '/Library/Application Support/ClaudeCode',
};

const SETTING = 'cleanupPeriodDays';
const DEFAULT_DAYS = 30;

/**
 * After how many days Claude Code deletes a session, counted from the last change of its transcript. It does so some seconds after a
 * start, once a day. Where it cannot read its settings it deletes nothing.
 */
export function claudeRetention(home: string, managed: string | undefined = MANAGED[process.platform]): OwnRetention {
  for (const path of [...managedFiles(managed), join(home, 'settings.json')]) {
    const read = readSettings(path);
    if (read === 'unreadable') return paused(`${path} cannot be read, so nothing is deleted`, path);
    const days = read?.[SETTING];
    if (days === undefined) continue;
    if (typeof days !== 'number' || !Number.isSafeInteger(days) || days < 1)
      return paused(`${SETTING} ${JSON.stringify(days)} is no number of days, so nothing is deleted`, path);
    return deletes(days, path);
  }
  return deletes(DEFAULT_DAYS);
}

function deletes(days: number, from?: string): OwnRetention {
  return {
    setting: `${SETTING} ${days}`,
    ...(from !== undefined && { from }),
    deletesAt({ transcripts }) {
      // What subagents said goes with the conversation, however new it is.
      const swept = transcripts.filter(({ path }) => isMain(path));
      const changed = (swept.length > 0 ? swept : transcripts).map(({ modifiedAt }) => modifiedAt);
      return changed.length === 0 ? undefined : Math.min(...changed) + days * DAY_MS;
    },
  };
}

function paused(setting: string, from: string): OwnRetention {
  return { setting, from, deletesAt: () => undefined };
}

/** The strongest first: of several files in the folder the last one counts. */
function managedFiles(folder: string | undefined): string[] {
  if (folder === undefined) return [];
  const more = join(folder, 'managed-settings.d');
  const names = existsSync(more) ? readdirSync(more).filter((name) => name.endsWith('.json')) : [];
  return [
    ...names
      .toSorted()
      .toReversed()
      .map((name) => join(more, name)),
    join(folder, 'managed-settings.json'),
  ];
}

/** Undefined where there is no such file. */
function readSettings(path: string): JsonObject | 'unreadable' | undefined {
  try {
    const value: unknown = JSON.parse(
      readRegular(path)
        .toString()
        .replace(/^\uFEFF/, ''),
    );
    return isJsonObject(value) ? value : 'unreadable';
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? undefined : 'unreadable';
  }
}
