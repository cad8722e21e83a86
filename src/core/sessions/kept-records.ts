/** Small records by id that outlive the process that wrote them, such as what is running now. */
export interface KeptRecords {
  /** Replaces an earlier one of the same id. Durable when it resolves. */
  save(id: string, record: string): Promise<void>;
  remove(id: string): Promise<void>;
  all(): Promise<ReadonlyMap<string, string>>;
}
