/** Something that was found and could not be read, or does not fit the rest. Shown to a person; never a reason to delete. */
export interface Problem {
  /** A stable word for programs, such as `transcript-behind` or `unknown-file`. */
  readonly kind: string;
  /** What it concerns: a path inside the home, or a session id. */
  readonly subject: string;
  /** One sentence for a person. */
  readonly message: string;
  /** The next step, where there is one. */
  readonly hint?: string;
}
