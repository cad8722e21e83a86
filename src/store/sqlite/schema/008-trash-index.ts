/** Which runs still have something in the trash is asked by everybody who changes the home. */
export const TRASH_INDEX_SCHEMA = `
CREATE INDEX run_items_in_trash ON run_items (run_id) WHERE state IN ('trashed', 'purging');
`;
