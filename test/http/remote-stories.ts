import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The home that the stories are told of. */
export interface Place {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly checkpoints: readonly string[];
  readonly runs: readonly string[];
}

/** A line, or one that goes on from what the line before printed. */
export type Line = readonly string[] | ((before: string) => readonly string[]);

/** The same as text and as JSON. */
const both = (...line: string[]): Line[] => [line, ['--json', ...line]];

/** The same, with different words at the end. */
const each = (line: readonly string[], text: readonly string[], json: readonly string[]): Line[] => [
  [...line, ...text],
  ['--json', ...line, ...json],
];

/** What is typed, in order. What a line changes, the ones after it see. */
export const STORIES: Readonly<Record<string, (place: Place) => readonly Line[]>> = {
  'about sessions': aboutSessions,
  'about removing and giving back': aboutRemoving,
  'about checkpoints': aboutCheckpoints,
  'about everything else': aboutTheRest,
};

function aboutSessions({ root }: Place): readonly Line[] {
  const transcript = join(root, 'brought-in.jsonl');
  writeFileSync(transcript, '{"role":"user","content":"from elsewhere"}\n');
  return [
    ...both('sessions', 'list'),
    ...both('sessions', 'list', '--archived'),
    ...both('sessions', 'list', '--source', 'cli', '--since', '7d', '--sort', 'bytes'),
    ...both('sessions', 'list', '--min-messages', '1', '--max-messages', '1', '--older-than', '30', '--limit', '3'),
    ...both('sessions', 'list', '--min-tokens', '12', '--max-cost', '0.25', '--title', 'NEEDLES', '--model', 'm'),
    ...both('sessions', 'list', '--project', '/projects', '--tag', 'nothing'),
    ...both('sessions', 'list', '--project', '/projects/x', '--pinned', '--limit', '2'),
    ['--json', 'sessions', 'list', '--sort', 'size', '--limit', '3'],
    ['--json', 'sessions', 'list', '--sort', 'size', '--limit', '3', '--cursor', '+3'],
    ['--json', 'sessions', 'list', '--cursor', 'nonsense'],
    ['sessions', 'list', '--branch', 'main'],
    ['sessions', 'export', '--title', 'needles', '--newer-than', '7'],
    ['sessions', 'export', '--title', 'nothing has this title'],
    ['sessions', 'export', 'plain', '--source', 'cli'],
    ['sessions', 'export'],
    ...both('sessions', 'show', 'pla', '--files'),
    ...both('sessions', 'show', '@2'),
    ...both('sessions', 'show', 'about needles'),
    ...both('sessions', 'show', 'p'),
    ...both('sessions', 'show', '@99'),
    ['sessions', 'export', '--since', '7d'],
    ['sessions', 'export', '--all', '--title', 'x'],
    ...both('sessions', 'search', 'needle', '--since', '7d'),
    ...both('sessions', 'show', 'stored-a'),
    ...both('sessions', 'search', 'needle'),
    ...both('sessions', 'tail', 'plain', '--messages', '1'),
    ...both('sessions', 'stats'),
    ...both('sessions', 'routes'),
    ...both('sessions', 'routes', '--source', 'nobody'),
    ['sessions', 'export', 'plain', '--format', 'jsonl'],
    ['sessions', 'export', 'plain', '--format', 'md', '--redact'],
    ['--json', 'sessions', 'export', 'plain', 'pack-a', '--format', 'html', '--out', join(root, 'out.html')],
    ...both('sessions', 'import', transcript, join(root, 'out.html')),
    ...each(['sessions', 'rename'], ['plain', 'Needles'], ['plain', 'About needles']),
    ...both('sessions', 'tag', 'plain', '--add', 'work'),
    ...both('sessions', 'pin', 'plain', 'prune-a', 'nothing'),
    ...both('sessions', 'unpin', 'plain', 'prune-a'),
    ...both('sessions', 'end', 'plain', '--reason', 'enough'),
    ...both('sessions', 'end', '--crashed'),
    ...both('sessions', 'resolve', 'slack:7'),
    ...both('sessions', 'reset', 'telegram:42'),
  ];
}

function aboutRemoving({ root, runs }: Place): readonly Line[] {
  const file = join(root, 'plan.json');
  const [runA = '', runB = '', runC = '', runD = ''] = runs;
  return [
    ...each(['sessions', 'restore'], ['stored-a'], ['stored-b']),
    ['sessions', 'delete', 'plain', '--yes'],
    ['sessions', 'delete', '@2', '--yes'],
    ['sessions', 'delete', 'prune', '--yes'],
    ['sessions', 'delete', 'about need'],
    ...each(['sessions', 'delete', '--yes'], ['del-a'], ['del-b', '--purge']),
    ['sessions', 'delete', 'del', '--yes'],
    ['sessions', 'delete', '--source', 'policy', '--older-than', '30', '--dry-run', '--json'],
    ['sessions', 'delete', '--source', 'policy', '--older-than', '30', '--yes'],
    ['undo', '--yes'],
    ['sessions', 'delete', '--source', 'policy', '--purge', '--yes'],
    ['sessions', 'delete', '--yes'],
    ...both('sessions', 'prune', '--source', 'prune', '--older-than', '30', '--dry-run'),
    ['sessions', 'prune', '--newer-than', '900', '--min-messages', '1', '--max-cost', '9', '--dry-run', '--json'],
    ['sessions', 'prune', '--branch', 'main', '--dry-run'],
    ...each(['sessions', 'prune', '--yes', '--older-than', '30', '--source', 'prune'], ['--files-only'], []),
    ...both('sessions', 'gc', '--source', 'empty', '--dry-run'),
    ...both('sessions', 'gc', '--source', 'empty', '--yes'),
    ...both('sessions', 'archive', '--source', 'pack', '--older-than', '30', '--yes'),
    ...both('usage'),
    ...both('usage', '--by', 'model', '--since', '300d'),
    ...both('usage', '--by', 'session', '--limit', '1'),
    ...both('ledger'),
    ...both('ledger', '--source', 'gone', '--limit', '2'),
    ...both('ledger', '--by', 'month', '--since', '300d'),
    ...both('ledger', '--by', 'model'),
    ...both('runs'),
    ...both('runs', 'show', runA),
    ...both('trash', 'list'),
    ...each(['trash', 'restore'], [runA], [runB, 'gone-b']),
    ...each(['trash', 'empty', '--yes'], [runC], [runD]),
    ['trash', 'empty', '--expired', '--yes'],
    ...both('undo', '--yes'),
    ...both('plan'),
    ['--json', 'plan'],
    (before) => ['apply', (JSON.parse(before) as { id: string }).id, '--yes', '--strict'],
    ['undo', '--yes'],
    ['--json', 'plan'],
    (before) => ['--json', 'apply', (JSON.parse(before) as { id: string }).id, '--yes'],
    ['undo', '--yes'],
    ['plan', '--out', file],
    ['apply', file, '--yes'],
    ['apply', file, '--yes'],
  ];
}

function aboutTheRest({ checkpoints }: Place): readonly Line[] {
  const [first = ''] = checkpoints;
  return [
    ...both('audit'),
    ...both('config', 'path'),
    ...both('config', 'show'),
    ...both('config', 'show', '--effective'),
    ...both('config', 'check'),
    ...both('status'),
    ...both('doctor'),
    ...both('explain', 'plain'),
    ...both('explain', first.slice(0, 12)),
    ...both('explain', 'stored-a'),
    ...both('budget', 'show', '--by', 'source'),
    ...each(['budget', 'correct', 'plain', '--tokens', '1', '--reason', 'false'], [], []),
    ...both('cron', 'list'),
    ...both('cron', 'next', 'report'),
    ...both('cron', 'run', 'report'),
    ...each(['cron', 'remove'], ['other'], ['third']),
    ...both('watch'),
    ...both('maintain', 'run'),
    ...both('maintain', '--auto'),
    ...both('maintain', 'hold'),
    ...both('maintain', 'release'),
    ...both('maintain', 'run', '--allow'),
    ...both('doctor', '--repair'),
    ...both('completion', 'bash'),
    ...both('help', 'sessions', 'list'),
    ...both('config', 'schema'),
  ];
}

function aboutCheckpoints({ project, checkpoints }: Place): readonly Line[] {
  const [first = '', second = ''] = checkpoints;
  return [
    ...both('checkpoints', 'status'),
    ...both('checkpoints', 'verify'),
    ...both('checkpoints', 'list', project),
    ...both('checkpoints', 'list', '--all'),
    ...both('checkpoints', 'show', second),
    ...both('checkpoints', 'diff', first),
    ...both('checkpoints', 'diff', first, second, '--stat', '--', 'a.txt'),
    ...both('checkpoints', 'pin', first),
    ...both('checkpoints', 'unpin', first),
    ...both('checkpoints', 'take', project, '--reason', 'now'),
    ...both('checkpoints', 'restore', first, '--dry-run'),
    ...both('checkpoints', 'restore', first, '--yes'),
    ...both('checkpoints', 'prune', '--max-snapshots', '2', '--yes'),
    ...both('checkpoints', 'clear', '--dry-run'),
    ...both('checkpoints', 'clear', '--yes'),
    ...both('checkpoints', 'clear-legacy', '--yes'),
    ...both('clear-copies', '--older-than', '30', '--yes'),
  ];
}
