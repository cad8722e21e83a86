import type { Command as Definition } from 'commander';
import { SESSION_SORTS } from '../../core/stores/session-reader.ts';
import { AGENTS, KINDS } from '../../homes/kinds.ts';
import {
  type EndOptions,
  EXPORT_FORMATS,
  type ExportOptions,
  type ImportOptions,
  type IndexCommandOptions,
  type ListOptions,
  type NoOptions,
  type SearchOptions,
  type ShowOptions,
  type TagOptions,
  type TailOptions,
} from '../command-options.ts';
import { parseCount } from '../parse-values.ts';
import {
  choiceOption,
  countOption,
  dateOption,
  defineCommand,
  defineGroup,
  type Frame,
  textOption,
  textsOption,
} from './define-command.ts';
import { addFilters } from './define-filters.ts';
import { defineRoutes } from './define-gateway.ts';
import { defineRemovals } from './define-removals.ts';
import { MANY_IDS, ONE_ID } from './id-words.ts';

/** `coppice sessions …` */
export function defineSessions(program: Definition, frame: Frame): void {
  const sessions = defineGroup(program, {
    name: 'sessions',
    about: 'List, read, search, move, mark and remove sessions',
    examples: ['coppice sessions list', 'coppice sessions search "disk full"', 'coppice sessions export --help'],
  });
  defineList(sessions, frame);
  defineShow(sessions, frame);
  defineTail(sessions, frame);
  defineSearch(sessions, frame);
  defineIndex(sessions, frame);
  defineStats(sessions, frame);
  defineExport(sessions, frame);
  defineImport(sessions, frame);
  definePins(sessions, frame);
  defineChanges(sessions, frame);
  defineRemovals(sessions, frame);
  defineRoutes(sessions, frame);
}

function defineList(sessions: Definition, frame: Frame): void {
  const list = defineCommand<ListOptions>(sessions, frame, {
    name: 'list',
    about: 'List sessions, most recent first',
    examples: [
      'coppice sessions list --active',
      'coppice sessions list --source telegram --since 7d',
      'coppice sessions list --project ~/blog --tag work --pinned',
      'coppice sessions list --sort size --limit 10',
      'coppice sessions list --min-cost 5 --newer-than 30d --sort cost',
      'coppice sessions list --archived',
      'coppice sessions list --before 2026-01-31 --json --limit 100',
    ],
    load: () => import('../sessions/list.ts'),
    over: 'merged',
  })
    .option('--active', 'only sessions that a process holds or that were used a moment ago')
    .option('--archived', 'archived sessions instead')
    .addOption(countOption('--limit <n>', 'at most this many'))
    .addOption(
      dateOption('--since <when>', 'last active at or after this date or age (2026-01-31, 90d, 5h)', frame.clock),
    )
    .addOption(dateOption('--before <when>', 'last active before this date or age', frame.clock))
    .addOption(choiceOption('--sort <key>', 'largest first; last is most recent first', SESSION_SORTS))
    .addOption(textOption('--cursor <next>', 'with --json, the page that begins where `next` of the page before says'));
  addFilters(list, frame);
}

function defineShow(sessions: Definition, frame: Frame): void {
  defineCommand<ShowOptions>(sessions, frame, {
    name: 'show',
    about: 'Show what is known about a session, and its messages',
    examples: ['coppice sessions show @last', 'coppice sessions show 0198c2 --messages all --files'],
    load: () => import('../sessions/show.ts'),
    over: 'named',
  })
    .argument('<id>', ONE_ID)
    .option('--messages <n|all>', 'how many of the newest messages to show', (text) =>
      text === 'all' ? text : parseCount('--messages', text),
    )
    .option('--files', 'list the files the session keeps');
}

function defineTail(sessions: Definition, frame: Frame): void {
  defineCommand<TailOptions>(sessions, frame, {
    name: 'tail',
    about: 'Print the newest messages of a session, and new ones as they come',
    examples: ['coppice sessions tail @2 -n 5', 'coppice sessions tail 0198c2 --follow'],
    load: () => import('../sessions/tail.ts'),
    over: 'named',
  })
    .argument('<id>', ONE_ID)
    .addOption(countOption('-n, --messages <n>', 'how many messages to begin with'))
    .option('-f, --follow', 'keep printing new messages until Ctrl-C');
}

function defineSearch(sessions: Definition, frame: Frame): void {
  defineCommand<SearchOptions>(sessions, frame, {
    name: 'search',
    about: 'Find sessions by words in their messages and titles',
    examples: [
      'coppice sessions search "disk full"',
      `coppice sessions search '"exact phrase" -without' --source cli`,
      'coppice sessions search migration --since 7d',
    ],
    load: () => import('../sessions/search/search.ts'),
    over: 'merged',
  })
    .argument('<words...>', 'words, "exact phrases" and -words to leave out; write -- first if it starts with -')
    .addOption(textOption('--source <source>', 'only sessions from this source'))
    .addOption(dateOption('--since <when>', 'only what was said at or after this date or age', frame.clock))
    .addOption(countOption('--limit <n>', 'at most this many'));
}

function defineIndex(sessions: Definition, frame: Frame): void {
  defineCommand<IndexCommandOptions>(sessions, frame, {
    name: 'index',
    about: 'Read all that is new in homes of other agents into the search index',
    examples: ['coppice sessions index', 'coppice sessions index --rebuild', 'coppice sessions index --drop'],
    load: () => import('../sessions/search/index-sessions.ts'),
    over: 'merged',
    onlyHere: 'the index is on the machine of its daemon',
  })
    .option('--rebuild', 'build the index anew')
    .option('--drop', 'remove the index of all homes; the next search builds it anew');
}

function defineStats(sessions: Definition, frame: Frame): void {
  defineCommand<NoOptions>(sessions, frame, {
    name: 'stats',
    about: 'Show what is kept: by source, age and kind of file, and what could go',
    examples: ['coppice sessions stats', 'coppice sessions stats --json'],
    load: () => import('../sessions/stats.ts'),
    over: 'each',
  });
}

function defineExport(sessions: Definition, frame: Frame): void {
  const exporting = defineCommand<ExportOptions>(sessions, frame, {
    name: 'export',
    about: 'Write whole sessions to a file or to stdout',
    examples: [
      'coppice sessions export 0198c2 --out session.jsonl',
      'coppice sessions export 0198c2 0198d4 --format html --redact --out report.html',
      'coppice sessions export --source telegram --since 7d --out week.jsonl',
      'coppice sessions export --all --out everything.jsonl',
    ],
    load: () => import('../sessions/export.ts'),
    over: 'named',
  })
    .argument('[id...]', `${MANY_IDS}; those that match the options below when absent`)
    .option('--all', 'all sessions; not those that are archived')
    .addOption(
      dateOption('--since <when>', 'last active at or after this date or age (2026-01-31, 90d, 5h)', frame.clock),
    )
    .addOption(
      choiceOption('--format <format>', 'jsonl can be imported again', EXPORT_FORMATS).default(EXPORT_FORMATS[0]),
    )
    .addOption(textOption('--out <file>', 'where to write; stdout when absent'))
    .option('--redact', 'leave out secrets such as keys and tokens');
  addFilters(exporting, frame);
}

function defineImport(sessions: Definition, frame: Frame): void {
  defineCommand<ImportOptions>(sessions, frame, {
    name: 'import',
    about: `Add sessions from exports and transcripts, or from a ${AGENTS} home`,
    examples: [
      'coppice sessions import session.jsonl',
      'coppice sessions import old-transcripts/ more.jsonl',
      `coppice sessions import --from ${KINDS[0]?.place} --source telegram`,
    ],
    load: () => import('../sessions/import.ts'),
  })
    .argument('[file...]', 'a file that export wrote, a transcript, or a folder of them')
    .addOption(textOption('--from <dir>', `a ${AGENTS} home, which is only read`))
    .addOption(textOption('--source <source>', 'with --from, only sessions from this source'));
}

function definePins(sessions: Definition, frame: Frame): void {
  defineCommand<NoOptions>(sessions, frame, {
    name: 'pin',
    about: 'Protect sessions from every kind of removal',
    examples: ['coppice sessions pin 0198c2 0198d4'],
    load: () => import('../sessions/change/pin.ts'),
    over: 'named',
  }).argument('<id...>', MANY_IDS);
  defineCommand<NoOptions>(sessions, frame, {
    name: 'unpin',
    about: 'Take the protection of pin away',
    examples: ['coppice sessions unpin 0198c2'],
    load: () => import('../sessions/change/unpin.ts'),
    over: 'named',
  }).argument('<id...>', MANY_IDS);
}

function defineChanges(sessions: Definition, frame: Frame): void {
  defineCommand<NoOptions>(sessions, frame, {
    name: 'rename',
    about: 'Give a session another title',
    examples: ['coppice sessions rename 0198c2 "Moving the blog"'],
    load: () => import('../sessions/change/rename.ts'),
    over: 'first-named',
  })
    .argument('<id>', ONE_ID)
    .argument('<title>', 'the new title, in quotes when it has spaces');
  defineCommand<TagOptions>(sessions, frame, {
    name: 'tag',
    about: 'Add and remove tags of a session',
    examples: ['coppice sessions tag 0198c2 --add work --add urgent', 'coppice sessions tag 0198c2 --remove urgent'],
    load: () => import('../sessions/change/tag.ts'),
    over: 'named',
  })
    .argument('<id>', ONE_ID)
    .addOption(textsOption('--add <tag>', 'tag to add; may be repeated'))
    .addOption(textsOption('--remove <tag>', 'tag to remove; may be repeated'));
  defineCommand<EndOptions>(sessions, frame, {
    name: 'end',
    about: 'End a session that is open, or all whose process is gone',
    examples: [
      'coppice sessions end 0198c2',
      'coppice sessions end 0198c2 --reason done',
      'coppice sessions end --crashed',
    ],
    load: () => import('../sessions/end.ts'),
    over: 'named',
  })
    .argument('[id]', ONE_ID)
    .option('--crashed', 'open sessions whose process on this machine is gone, and no others')
    .addOption(textOption('--reason <text>', 'why it ended, kept with the session'));
}
