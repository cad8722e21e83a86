import { type Command as Definition, Option } from 'commander';
import { SCOPE_WORDS, SCOPES } from '../../core/access.ts';
import type { AuditOptions, TokenCreateOptions } from '../access/options.ts';
import type { NoOptions } from '../command-options.ts';
import { parseFuture, parseScopes } from '../parse-access.ts';
import { countOption, dateOption, defineCommand, defineGroup, type Frame, textOption } from './define-command.ts';

const ONLY_HERE = 'who may do what is decided on the machine of the home alone';

/** Who may do what over HTTP, and who did: `coppice token` and `coppice audit`. */
export function defineAccess(program: Definition, frame: Frame): void {
  defineAudit(program, frame);
  const token = defineGroup(program, {
    name: 'token',
    about: 'Give programs and people tokens for coppice serve, and take them back',
    examples: ['coppice token create ci --scope read,append --expires 30d', 'coppice token list'],
  });
  defineCommand<TokenCreateOptions>(token, frame, {
    name: 'create',
    about: 'Make a token and print it, this once',
    examples: [
      'coppice token create ci --scope read,append --expires 30d',
      'coppice token create dashboard --scope read --json',
    ],
    load: () => import('../access/token-create.ts'),
    onlyHere: ONLY_HERE,
  })
    .argument('<name>', 'what it is called in lists and in the audit log')
    .addOption(scopeOption())
    .addOption(expiresOption(frame))
    .addHelpText('after', `\nThe scopes:\n${scopeLines()}`);
  defineCommand<NoOptions>(token, frame, {
    name: 'list',
    about: 'List tokens, what each may do and until when',
    examples: ['coppice token list', 'coppice token list --json'],
    load: () => import('../access/token-list.ts'),
    onlyHere: ONLY_HERE,
    isDefault: true,
  });
  defineCommand<NoOptions>(token, frame, {
    name: 'revoke',
    about: 'Take a token back: it is refused from the next request on',
    examples: ['coppice token revoke ci'],
    load: () => import('../access/token-revoke.ts'),
    onlyHere: ONLY_HERE,
  }).argument('<name>', 'name of the token');
}

function defineAudit(program: Definition, frame: Frame): void {
  defineCommand<AuditOptions>(program, frame, {
    name: 'audit',
    about: 'Show who changed what over HTTP, and who gave out and took back tokens, newest first',
    examples: ['coppice audit', 'coppice audit --since 7d --who ci', 'coppice audit --json'],
    load: () => import('../access/audit.ts'),
  })
    .addOption(dateOption('--since <when>', 'at or after this date or age (2026-01-31, 90d, 5h)', frame.clock))
    .addOption(textOption('--who <name>', 'only what this token did, or this user by command'))
    .addOption(countOption('--limit <n>', 'at most this many'));
}

function scopeOption(): Option {
  return new Option('--scope <scopes>', 'what it may do, with commas in between: read, append, manage, run')
    .choices(SCOPES)
    .argParser((text) => parseScopes('--scope', text))
    .makeOptionMandatory();
}

function expiresOption({ clock }: Frame): Option {
  return new Option(
    '--expires <when>',
    'how long it is good, or until when (30d, 12h, 2027-01-31); for ever when absent',
  ).argParser((text) => parseFuture('--expires', text, clock.now()));
}

function scopeLines(): string {
  return Object.entries(SCOPE_WORDS)
    .map(([scope, words]) => `  ${scope.padEnd(6)}  ${words}`)
    .join('\n');
}
