/** The settings that say how much stays. */
export interface BoundSettings {
  readonly abandonDays: number;
  readonly retentionDays: number;
  readonly noticeDays: number;
  readonly graceDays: number;
  readonly intervalDays: number;
  readonly checkpointBytes: number;
  readonly reserveBytes: number;
  /** A limit for the whole home, with leave to remove for good. */
  readonly capBytes?: number;
}
export interface Arrived {
  readonly sessions: number;
  /** Those of them that keep files. */
  readonly folders: number;
  readonly contentBytes: number;
}
export function arrivedBytes(arrived: Arrived): number;
export function daysThere(settings: BoundSettings): number;
export function statedBound(
  settings: BoundSettings,
  home: { readonly arrived: Arrived; readonly heldBytes: number; readonly sessionsEver: number },
): number;
export function checkpointBound(settings: BoundSettings): number;
