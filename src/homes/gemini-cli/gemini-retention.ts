import { basename, join } from 'node:path';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../core/time.ts';
import type { JsonValue } from '../../core/json.ts';
import type { FoundSession, OwnRetention } from '../../keeping/file-home/file-agent.ts';
import type { TreeFile } from '../../keeping/file-home/home-tree.ts';
import { piecesOf } from '../../keeping/file-home/session-pieces.ts';
import { isThere } from '../../platform/files/is-there.ts';
import { rootOf } from './busy-projects.ts';
import { type ChatRule, type JudgedChat, judgeChats } from './judge-chats.ts';
import type { LookIntoChat } from './gemini-drafts.ts';
import { isChat, isLegacy, projectOf } from './gemini-places.ts';
import { type RetentionSettings, retentionSettings, SYSTEM } from './gemini-settings.ts';

/**
 * What Gemini CLI deletes as soon as it is started in a project: chats that it does not list, whatever the reason is, chats of a certain
 * age or beyond a certain number, and with each of them every chat of the project whose name ends in the same eight characters.
 */
export function geminiRetention(
  home: string,
  look: LookIntoChat,
  system: string | undefined = SYSTEM[process.platform],
): OwnRetention {
  const own = retentionSettings(home, { system });
  const ruleOf = rulesOf(home, { system, own });
  let seen: readonly FoundSession[] | undefined;
  let times: ReadonlyMap<string, EpochMs> = new Map();
  return {
    setting: inWords(own),
    ...(own.from.length > 0 && { from: own.from.at(-1) ?? '' }),
    deletesAt(session, all) {
      if (seen !== all) times = timesOf(all, { ruleOf, headOf: (file) => look(join(home, file.path), file) });
      seen = all;
      return times.get(session.id);
    },
  };
}

/** What holds in a project, as far as that can be told; nothing where nothing is deleted in it. */
type RuleOf = (project: string) => readonly ChatRule[];

/**
 * Nobody starts it in a folder that is not there, and it does not look into folders of earlier versions. What a project sets for itself
 * holds where its user trusts it, which cannot be told from here: what deletes more counts.
 */
function rulesOf(
  home: string,
  { system, own }: { readonly system: string | undefined; readonly own: RetentionSettings },
): RuleOf {
  return (project) => {
    const root = isLegacy(project) ? undefined : rootOf(home, project);
    if (root === undefined || !isThere(root)) return [];
    const inProject = retentionSettings(home, { system, root });
    if (inProject.unreadable !== undefined) return [];
    return [own, inProject].flatMap((settings) => ruleIn(settings) ?? []);
  };
}

/** What is wrong in the settings turns it off. */
function ruleIn({ fields, unreadable }: RetentionSettings): ChatRule | undefined {
  const { enabled, maxAge, maxCount, minRetention } = fields;
  if (unreadable !== undefined || !isSet(enabled)) return undefined;
  const maxAgeMs = isSet(maxAge) ? periodMs(maxAge) : undefined;
  if (isSet(maxAge) && (maxAgeMs === undefined || maxAgeMs < (periodMs(minRetention) ?? DAY_MS))) return undefined;
  if (maxCount === undefined) return maxAgeMs === undefined ? undefined : { maxAgeMs };
  if (typeof maxCount !== 'number' || maxCount < 1) return undefined;
  return { maxCount, ...(maxAgeMs !== undefined && { maxAgeMs }) };
}

function isSet(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== false && value !== '' && value !== 0;
}

const UNITS: Readonly<Record<string, number>> = { h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS, m: 30 * DAY_MS };

function periodMs(value: JsonValue | undefined): number | undefined {
  const [, count, unit = ''] = /^(\d+)([dhwm])$/.exec(typeof value === 'string' ? value : '') ?? [];
  const ms = Number(count ?? 0) * (UNITS[unit] ?? 0);
  return ms > 0 ? ms : undefined;
}

function inWords(settings: RetentionSettings): string {
  const { fields, unreadable } = settings;
  if (unreadable !== undefined) return `${unreadable} cannot be read, so nothing is deleted`;
  const words = Object.entries(fields).flatMap(([key, value]) =>
    SHOWN.has(key) && value !== undefined && value !== true
      ? [`${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`]
      : [],
  );
  const all = `general.sessionRetention ${words.join(', ')}`;
  return ruleIn(settings) === undefined ? `${all}, so nothing is deleted` : all;
}

const SHOWN: ReadonlySet<string> = new Set(['enabled', 'maxAge', 'maxCount']);

interface Judging {
  readonly ruleOf: RuleOf;
  readonly headOf: (file: TreeFile) => ReturnType<LookIntoChat>;
}

function timesOf(sessions: readonly FoundSession[], { ruleOf, headOf }: Judging): ReadonlyMap<string, EpochMs> {
  const times = new Map<string, EpochMs>();
  for (const [project, files] of chatsByProject(sessions)) {
    const chats = files.map(({ id, file }): JudgedChat & { readonly id: string } => {
      const head = headOf(file);
      // A chat that says nothing of when it was used counts as used when its file was written.
      const usedAt = head?.isListed === true ? (head.lastUpdated ?? file.modifiedAt) : undefined;
      return { id, name: basename(file.path), writtenAt: file.modifiedAt, ...(usedAt !== undefined && { usedAt }) };
    });
    for (const rule of ruleOf(project)) {
      for (const [{ id }, at] of judgeChats(chats, rule)) times.set(id, Math.min(at, times.get(id) ?? at));
    }
  }
  return times;
}

interface ChatFile {
  /** Of its session. */
  readonly id: string;
  readonly file: TreeFile;
}

function chatsByProject(sessions: readonly FoundSession[]): ReadonlyMap<string, readonly ChatFile[]> {
  const byProject = new Map<string, ChatFile[]>();
  for (const session of sessions) {
    for (const file of piecesOf(session).flatMap((piece) => piece.files)) {
      const project = isChat(file.path) ? projectOf(file.path) : undefined;
      if (project === undefined) continue;
      const chats = byProject.get(project);
      if (chats === undefined) byProject.set(project, [{ id: session.id, file }]);
      else chats.push({ id: session.id, file });
    }
  }
  return byProject;
}
