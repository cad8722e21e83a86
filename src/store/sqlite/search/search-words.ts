/** What whoever searches is told when not every message could be looked at. */
export const NOT_ALL_SEARCHED =
  'Not every message was searched: the disk is nearly full, and has no room for all of the search index. Free some space, then search again.';

export const NOT_ALL_INDEXED =
  'Not every message was searched: the newest are not in the search index yet, and nothing can be written here.';
