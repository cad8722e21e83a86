import type { Command as Definition, Option } from 'commander';
import { LIMITS, RUN_COUNTERS, type RunCounter, runOption } from '../../core/gateway/limits.ts';
import type { NoOptions } from '../command-options.ts';
import {
  BUDGET_SCOPES,
  type BudgetOptions,
  type CorrectOptions,
  type CronAddOptions,
  type CronNextOptions,
  type OpenOptions,
  type ResolveOptions,
  type RoutesOptions,
  type RunOptions,
  type ServeOptions,
} from '../gateway/options.ts';
import {
  choiceOption,
  countOption,
  defineCommand,
  defineGroup,
  type Frame,
  numberOption,
  portOption,
  textOption,
} from './define-command.ts';
import { ONE_ID } from './id-words.ts';

/** Agents at work: `coppice serve`, `run`, `budget`, `watch` and `cron`. */
export function defineGateway(program: Definition, frame: Frame): void {
  defineServe(program, frame);
  defineRun(program, frame);
  defineCron(program, frame);
  defineBudget(program, frame);
  defineCommand<NoOptions>(program, frame, {
    name: 'watch',
    about: 'Show sessions in use, what they spend and how the home grows, until Ctrl-C',
    examples: ['coppice watch'],
    load: () => import('../gateway/watch.ts'),
  });
}

function defineBudget(program: Definition, frame: Frame): void {
  const budget = defineGroup(program, {
    name: 'budget',
    about: 'Show what live sessions have used and what is left, and set it right',
    examples: ['coppice budget', 'coppice budget show --by model'],
  });
  defineCommand<BudgetOptions>(budget, frame, {
    name: 'show',
    about: 'Show what live sessions have used: tokens, money, steps and time; and what is left of each budget',
    examples: ['coppice budget show', 'coppice budget show --by model'],
    load: () => import('../gateway/budget.ts'),
    isDefault: true,
  }).addOption(choiceOption('--by <what>', 'what to add up by (day)', BUDGET_SCOPES));
  defineCommand<CorrectOptions>(budget, frame, {
    name: 'correct',
    about: 'Take a false report of usage back, on record: who, when and why',
    examples: ['coppice budget correct 0198c2 --tokens 5000000 --reason "counted twice"'],
    load: () => import('../gateway/budget-correct.ts'),
  })
    .argument('<session>', `${ONE_ID}; the one that reported it`)
    .addOption(countOption('--tokens <n>', 'this many tokens'))
    .addOption(numberOption('--usd <amount>', 'this many US dollars'))
    .addOption(textOption('--reason <text>', 'why it is false').makeOptionMandatory())
    .addOption(textOption('--day <date>', 'the day on which it was counted, such as 2026-01-15 (today)'))
    .addOption(textOption('--model <model>', 'the model that it named, where it is not that of the session'));
}

/** Below `coppice sessions`: who answers which key. */
export function defineRoutes(sessions: Definition, frame: Frame): void {
  const key = 'who is talking, such as telegram:42';
  defineCommand<RoutesOptions>(sessions, frame, {
    name: 'routes',
    about: 'List which session answers which key',
    examples: ['coppice sessions routes', 'coppice sessions routes --source telegram --json'],
    load: () => import('../gateway/routes.ts'),
  }).addOption(textOption('--source <source>', 'only keys whose session comes from this source'));
  defineCommand<ResolveOptions>(sessions, frame, {
    name: 'resolve',
    about: 'Print the session that answers a key, starting one where the rules say so',
    examples: ['coppice sessions resolve telegram:42 --source telegram'],
    load: () => import('../gateway/resolve.ts'),
  })
    .argument('<key>', key)
    .addOption(textOption('--source <source>', 'where a new session comes from; what stands before the : when absent'));
  defineCommand<NoOptions>(sessions, frame, {
    name: 'reset',
    about: 'End the session that answers a key, so that the next message starts afresh',
    examples: ['coppice sessions reset telegram:42'],
    load: () => import('../gateway/reset.ts'),
  }).argument('<key>', key);
}

function defineServe(program: Definition, frame: Frame): void {
  defineCommand<ServeOptions>(program, frame, {
    name: 'serve',
    about: 'Serve the home over HTTP, run jobs by the clock and keep everything within its limits',
    examples: ['coppice serve', 'coppice serve --port 8000', 'coppice serve --socket ~/.coppice/serve.sock'],
    load: () => import('../gateway/serve.ts'),
    onlyHere: 'it is the daemon itself',
  })
    .addOption(portOption('--port <n>', 'the port to listen on (7717)'))
    .addOption(textOption('--socket <file>', 'listen on a Unix socket instead, in a folder that only you can enter'))
    .addOption(textOption('--host <address>', 'the address to listen on (127.0.0.1)'))
    .option('--public', 'allow an address that other machines can reach; 0.0.0.0 when no --host is given')
    .addOption(textOption('--tls-cert <file>', 'speak TLS with this certificate (serve.tls_cert)'))
    .addOption(textOption('--tls-key <file>', 'the key of the certificate, which only you may read (serve.tls_key)'))
    .option('--sign-out', 'sign every browser out, and serve nothing');
  defineCommand<OpenOptions>(program, frame, {
    name: 'open',
    about: 'Open the page of the daemon in a browser, signed in with a link that works once',
    examples: ['coppice open', 'coppice open --print', 'coppice open --remote https://agents.example.org:7717'],
    load: () => import('../gateway/open.ts'),
  })
    .addOption(portOption('--port <n>', 'the port on which it listens (7717)'))
    .option('--print', 'only print the link, such as for a browser elsewhere');
}

function defineRun(program: Definition, frame: Frame): void {
  const run = defineCommand<RunOptions>(program, frame, {
    name: 'run',
    about: 'Run an agent as a recorded session, and stop it when it breaks its limits',
    examples: [
      'coppice run -- my-agent --task report',
      'coppice run --max-usd 1 -- claude',
      'coppice run --max-tokens 200000 --max-minutes 30 -- my-agent',
      'coppice run --key telegram:42 --source telegram -- my-agent --reply',
    ],
    load: () => import('../gateway/run.ts'),
    onlyHere: 'it starts the agent on this machine and watches over it here',
  })
    .argument('<command...>', 'the command and its arguments; write -- before it')
    .addOption(textOption('--source <source>', 'where the session comes from (run)'))
    .addOption(textOption('--key <key>', 'go on with the session that answers this key, and leave it open'));
  for (const counter of RUN_COUNTERS) run.addOption(limitOption(counter));
  run
    .option('--meter', 'count what the agent uses between it and its models (by itself for known agents with a limit)')
    .option('--no-meter', 'count only what the agent tells of itself: in files, in printed JSON, or by events')
    .option(
      '--require-usage',
      'fail where tokens or dollars are limited and nothing tells what is used, or what a model costs',
    )
    .option('--events-on-stdout', 'take printed lines that look like events for events, without the nonce of the run')
    .option('--no-terminal', 'give the agent pipes, also in a terminal')
    .option('--checkpoints', 'save the folder before the agent starts and when it has ended (checkpoints.enabled)')
    .option('--no-checkpoints', 'save nothing, whatever the configuration says')
    .addHelpText(
      'after',
      '\nWhile it runs, the agent finds advice, such as that it repeats itself, in the file that COPPICE_ADVICE names,' +
        '\none JSON object per line with the sentence in "say". What else it can be told and tell: docs/formats/events.md',
    );
}

/** What may be a part of a unit is no count. */
function limitOption(counter: RunCounter): Option {
  const { form, run: about } = LIMITS[counter];
  if (form === 'usd') return numberOption(`${runOption(counter)} <amount>`, about);
  return (form === 'time' ? numberOption : countOption)(`${runOption(counter)} <n>`, about);
}

function defineCron(program: Definition, frame: Frame): void {
  const cron = defineGroup(program, {
    name: 'cron',
    about: 'Run agents by the clock; coppice serve does the running',
    examples: ['coppice cron list', 'coppice cron add report --schedule "0 7 * * *" -- my-agent --task report'],
  });
  defineCommand<NoOptions>(cron, frame, {
    name: 'list',
    about: 'List jobs, when each comes next and how it went last',
    examples: ['coppice cron list', 'coppice cron list --json'],
    load: () => import('../gateway/cron-list.ts'),
    isDefault: true,
  });
  defineCommand<CronAddOptions>(cron, frame, {
    name: 'add',
    about: 'Add a job, or replace one that was added before',
    examples: [
      'coppice cron add report --schedule "0 7 * * *" -- my-agent --task report',
      'coppice cron add check --schedule "*/15 * * * *" --to-webhook http://127.0.0.1:9000/hook -- my-agent',
      'coppice cron add news --schedule "0 7 * * *" --to-command "mail me" -- my-agent --task news',
    ],
    load: () => import('../gateway/cron-add.ts'),
    onlyHere: 'a job is a command, and nobody can bring a command to another machine with a token alone',
  })
    .argument('<name>', 'name of the job')
    .argument('<command...>', 'the command and its arguments; write -- before it')
    .addOption(textOption('--schedule <cron>', 'minute, hour, day, month, weekday').makeOptionMandatory())
    .addOption(textOption('--time-zone <zone>', 'time zone of the schedule (UTC)'))
    .addOption(textOption('--workdir <dir>', 'where the command runs (here)'))
    .addOption(
      choiceOption('--missed <how>', 'what to do about runs that were missed (run-once)', ['run-once', 'skip']),
    )
    .addOption(choiceOption('--overlap <how>', 'while an earlier run is still going (skip)', ['skip', 'parallel']))
    .addOption(countOption('--max-minutes <n>', 'stop a run after this many minutes (60)'))
    .addOption(textOption('--to-file <file>', 'write the output there; {job} and {session} are filled in'))
    .addOption(textOption('--to-webhook <url>', 'post the output to this address'))
    .addOption(textOption('--to-command <line>', 'give the output to this line of shell on its standard input'));
  defineCommand<NoOptions>(cron, frame, {
    name: 'remove',
    about: 'Remove a job that was added by command',
    examples: ['coppice cron remove report'],
    load: () => import('../gateway/cron-remove.ts'),
  }).argument('<name>', 'name of the job');
  defineCommand<NoOptions>(cron, frame, {
    name: 'run',
    about: 'Run a job now, whatever its schedule says, and deliver its output',
    examples: ['coppice cron run report'],
    load: () => import('../gateway/cron-run.ts'),
  }).argument('<name>', 'name of the job');
  defineCommand<CronNextOptions>(cron, frame, {
    name: 'next',
    about: 'Show when a job comes next',
    examples: ['coppice cron next report --count 10'],
    load: () => import('../gateway/cron-next.ts'),
  })
    .argument('<name>', 'name of the job')
    .addOption(countOption('--count <n>', 'how many times (5)'));
}
