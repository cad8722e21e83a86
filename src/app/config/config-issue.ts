/** One thing that is wrong with the configuration. */
export interface ConfigIssue {
  /** The dotted key, such as `sessions.retention_days`; empty when it concerns the whole file. */
  readonly key: string;
  /** `file:line:column`, the name of an environment variable, or a flag. */
  readonly where: string;
  /** What is wrong and what to write instead. */
  readonly message: string;
}

/** An issue as one line for a person. */
export function formatConfigIssue({ key, where, message }: ConfigIssue): string {
  // A flag names its key already, and some sentences name the file.
  if (where !== '' && message.startsWith(`${where} `)) return message;
  const parts = where.endsWith(key) ? [where, message] : [where, key, message];
  return parts.filter((part) => part !== '').join(': ');
}
