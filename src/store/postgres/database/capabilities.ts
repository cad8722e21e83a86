/**
 * What a server can do beyond plain tables. Each is used where it is there and done without where it is not; a test switches each off.
 * Nothing here may change an answer, only what it costs.
 */
export interface Capabilities {
  /** Several tables are changed by one statement: appends of many callers go in one round trip, where each takes four otherwise. */
  readonly oneStatement: boolean;
}

export const ALL_CAPABILITIES: Capabilities = { oneStatement: true };
