import { type ConfigIssue, formatConfigIssue } from '../config/config-issue.ts';
import { badConfig } from '../config/load-config.ts';

interface Parts {
  readonly configIssues?: readonly ConfigIssue[];
}

/** Stops whatever changes a home that was opened to look at it although something in its configuration is wrong. */
export function refuseBadConfig({ configIssues = [] }: Parts): void {
  if (configIssues.length > 0) throw badConfig(configIssues);
}

/** What a person should read first about what the rules would do. */
export function configNotes({ configIssues = [] }: Parts): string[] {
  return configIssues.map(
    (issue) => `Nothing is removed until this is put right, and it is not in force here: ${formatConfigIssue(issue)}`,
  );
}
