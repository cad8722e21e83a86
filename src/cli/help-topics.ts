/** What `coppice help <topic>` tells, beside the help of commands. */
export const HELP_TOPICS: Readonly<Record<string, string>> = {
  policy: `\
Which sessions go, and in which order the rules are asked:

  1. Holds are absolute: in use, pinned, too young, dated in the future, not readable,
     or part of a conversation of which something stays.
  2. Keeps: the newest of each source and project (keep_last), and tags (keep_tags).
  3. Expiries: empty, trivial, retention_days, transcript_retention_days, archive_after_days,
     max_sessions, request dumps.
  4. Pressure: only above disk.max_mb or below disk.min_free_mb, the cheapest first.
  5. Guard: an unattended run that would remove too much only announces it.

Age counts from the last activity. A rule that is off is written never; 0 is an error.

  coppice plan                                  what the rules would do now, and why
  coppice plan --set sessions.retention_days=30 what other rules would do
  coppice explain ID                            every rule about one session
  coppice config show --effective               which rules are in force, and who set them
`,
  safety: `\
What you can rely on:

  - Nothing in use, pinned, young or not understood is removed, whatever a command says.
  - What is applied is never more than what was shown; what changed since is skipped.
  - Removed items wait in the trash and come back byte for byte: coppice undo
  - Unattended maintenance is off until sessions.auto_prune is true, and announces first.
  - A configuration that does not parse removes nothing.
  - A crash, a full disk or a second process at any moment loses nothing; the next command
    finishes what was begun.

  coppice status     what is kept, what holds it and what could go
  coppice runs       what was removed, when and why
  coppice doctor     whether all is well
`,
};
