/** What a service manager has to know to run `coppice serve`. */
export interface ServiceSpec {
  /** Without an ending: `coppice` is `coppice.service`. */
  readonly name: string;
  readonly home: string;
  /** The program and what it is given: whole paths, as words. */
  readonly command: readonly string[];
  /** Where the agents of jobs are found. */
  readonly path: string;
  /** The number of the user that it runs as, where that is not whoever the manager runs as. */
  readonly uid?: number | undefined;
  /** For everybody who uses the machine, from its start. */
  readonly isSystem: boolean;
  /** Whether the manager is told that the daemon lives, and starts it again when nothing is told. */
  readonly hasWatchdog: boolean;
}
