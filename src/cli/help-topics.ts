/** What `coppice help <topic>` tells, beside the help of commands. */
export const HELP_TOPICS: Readonly<Record<string, string>> = {
  policy: `\
Which sessions go, and in which order the rules are asked:

  1. Holds are absolute: in use, pinned, too young, dated in the future, not readable,
     or part of a conversation of which something stays.
  2. Keeps: the newest of each source and project (keep_last), and tags (keep_tags).
  3. Expiries: empty, trivial, retention_days, transcript_retention_days, archive_after_days,
     max_sessions, request dumps, and session_reset.after for what was started afresh.
  4. Pressure: only above disk.max_mb or below disk.min_free_mb, the cheapest first, into the
     trash; what must lose its way back for it is marked FOR GOOD.
  5. Guard: of much at once, an unattended run takes a part and announces the rest.

In use means: held by a living process or used a moment ago, answering a route, or not ended.
What was left open is closed as abandoned after abandon_after_hours.

Age counts from the last activity, or from when a rule closed the session. A rule that is off
is written never; 0 is an error.

  coppice plan                                  what the rules would do now, and why
  coppice plan --set sessions.retention_days=30 what other rules would do
  coppice explain ID                            every rule about one session
  coppice config show --effective               which rules are in force, and who set them
`,
  safety: `\
What you can rely on:

  - Nothing in use (held by a process, answering a route, or not ended), pinned, young or
    not understood is removed, whatever a command says.
  - What is applied is never more than what was shown; what changed since is skipped.
  - Removed items wait in the trash and come back byte for byte: coppice undo
  - What would skip the trash or leave it early is marked FOR GOOD before, and stays unless
    you say --for-good; unattended runs do it only where disk.for_good is true, and for
    trash beyond trash.max_mb and checkpoints beyond their limit, which are announced.
  - Unattended maintenance is off until sessions.auto_prune is true, and announces first.
  - A configuration that does not parse removes nothing.
  - A crash, a full disk or a second process at any moment loses nothing; the next command
    finishes what was begun.

  coppice status     what is kept, what holds it and what could go
  coppice runs       what was removed, when and why
  coppice doctor     whether all is well
`,
};
