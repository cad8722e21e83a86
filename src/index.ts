/**
 * The public API of Coppice.
 *
 * @example
 * import { openHome } from 'coppice';
 *
 * await using home = await openHome();
 * const session = await home.sessions.create({ source: 'cli' });
 * await session.append({ role: 'user', content: 'hello' });
 * await session.end('done');
 */

export type { Checkpoints } from './app/checkpoints/checkpoints.ts';
export type { Config } from './app/config/config-schema.ts';
export type { ConfigOverride } from './app/config/config-settings.ts';
export type { CheckOptions, HomeCheck } from './app/doctor/check-home.ts';
export type { NewCronJob } from './app/gateway/cron-jobs.ts';
export type { Gateway } from './app/gateway/gateway.ts';
export type { GatewaySession, JudgedReceipt, Resolution } from './app/gateway/gateway-session.ts';
export type { ResolveRequest } from './app/gateway/live-gateway.ts';
export type { AgentRun, AgentRunResult } from './app/gateway/run-agent.ts';
export type { RunCheckpoints } from './app/gateway/run-checkpoints.ts';
export type { Scheduler } from './app/gateway/scheduler.ts';
export type { Home } from './app/home.ts';
export type { Ledger, LedgerAmount, LedgerTotal, LedgerTotals, LedgerTotalsQuery } from './app/ledger.ts';
export { type OpenHomeOptions, openHome } from './app/open-home.ts';
export type {
  AppliedRun,
  ApplyOptions,
  Retention,
  RetentionOptions,
  UndoOptions,
} from './app/retention/retention.ts';
export type { FollowOptions } from './app/sessions/follow-messages.ts';
export type { SessionsQuery } from './app/sessions/list-query.ts';
export type { AppendAllReceipt, Session } from './app/sessions/session.ts';
export type { SessionFile } from './app/sessions/session-files.ts';
export type { SessionPage, SessionPageQuery } from './app/sessions/session-pages.ts';
export type { SessionStats, SessionStatsOptions } from './app/sessions/session-stats.ts';
export type { Sessions } from './app/sessions/sessions.ts';
export type { HomeUsage, UsageSummary, UsageTotalsQuery } from './app/usage/home-usage.ts';
export type { ExportFormat, ExportRequest } from './app/transfer/export/export-sessions.ts';
export type { HomeImportOptions } from './app/transfer/import-from-home.ts';
export type { ImportOutcome } from './app/transfer/import-outcome.ts';
export type { ImportRequest } from './app/transfer/import-sessions.ts';
export type { CheckpointDetail } from './checkpoints/home-checkpoints.ts';
export type { CheckpointDiff, CheckpointDiffOptions } from './checkpoints/restore/diff-checkpoints.ts';
export type {
  CheckpointRestoreOptions,
  CheckpointRestorePreview,
  CheckpointRestoreResult,
} from './checkpoints/restore-checkpoint.ts';
export { type Client, createClient } from './client/client.ts';
export type { EventDocument, MessageDocument, PlanDocument, SessionDocument } from './client/documents.ts';
export type { ClientOptions } from './client/transport.ts';
export { FAILURES, Failure, type FailureCode } from './core/failure.ts';
export type { Spend, ToolCount, Verdict, VerdictCause, VerdictKind } from './core/gateway/gateway.ts';
export type { Route, RouteQuery } from './core/gateway/route-book.ts';
export type { JsonObject, JsonValue } from './core/json.ts';
export type { Problem } from './core/problem.ts';
export type {
  Checkpoint,
  CheckpointProject,
  CheckpointRestoreRequest,
  FileChange,
  FileDiff,
  LeftOutFile,
  RestoredFile,
  TakeRequest,
  TakeResult,
  WorkdirPlace,
} from './core/retention/checkpoint.ts';
export type { CleanUp } from './core/retention/clean-up.ts';
export type { FileClass, Inventory } from './core/retention/inventory.ts';
export type { Decision, Explanation, ItemRef, Plan, PlanRequest } from './core/retention/plan.ts';
export type { Outcome, Run, RunItem } from './core/retention/run.ts';
export type { LeaseHolder, ProcessIdentity } from './core/sessions/lease-holder.ts';
export type { LedgerGroup, LedgerQuery, LedgerRecord } from './core/stores/ledger-book.ts';
export type { UsageAmount, UsageGroup, UsageSums, UsageTotal } from './core/stores/usage-book.ts';
export type { Content, Message, NewMessage, Role, ToolCall } from './core/sessions/message.ts';
export type { RequestDump } from './core/sessions/request-dump.ts';
export type {
  ChildKind,
  LedgerEntry,
  ModelUsage,
  NewSession,
  SessionFacts,
  SessionSize,
  Usage,
  UsageReport,
} from './core/sessions/session.ts';
export type { SessionFilter } from './core/sessions/session-filters.ts';
export type {
  MessageRange,
  SearchExcerpt,
  SearchHit,
  SearchQuery,
  SessionSort,
} from './core/stores/session-reader.ts';
export type { AppendOptions, AppendReceipt } from './core/stores/session-writer.ts';
export type { Clock, EpochMs } from './core/time.ts';
export type { FeedEvent } from './gateway/event-feed.ts';
export type { Turn } from './gateway/turn.ts';
export type { UsageEvent } from './gateway/spend/usage-meter.ts';
export type { OpenedHome } from './homes/home-kind.ts';
