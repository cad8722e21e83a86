import type { SessionStore } from '../core/stores/session-store.ts';

type Effect = 'reads' | 'changes';
type Effects<T> = {
  readonly [Name in keyof T]: T[Name] extends (...given: never) => unknown ? Effect : Effects<T[Name]>;
};

/** What each method does. Whoever adds one says it here, or the program does not compile. */
const EFFECTS: Effects<SessionStore> = {
  create: 'changes',
  get: 'reads',
  sizeOf: 'reads',
  idsNamed: 'reads',
  list: 'reads',
  append: 'changes',
  messages: 'reads',
  recordUsage: 'changes',
  usageIds: 'reads',
  forgetUsageIds: 'changes',
  usageByModel: 'reads',
  recordDumps: 'changes',
  change: 'changes',
  end: 'changes',
  endUnused: 'changes',
  resume: 'changes',
  ledger: 'reads',
  ledgerBook: { write: 'changes', erase: 'changes', forgetNames: 'changes' },
  counts: { sessions: 'reads', messages: 'reads', routes: 'reads', ledger: 'reads' },
  search: 'reads',
  release: 'changes',
  holders: 'reads',
  getMeta: 'reads',
  setMeta: 'changes',
  imports: { begin: 'changes', append: 'changes', finish: 'changes', abandon: 'changes' },
  trash: {
    hide: 'changes',
    show: 'changes',
    drop: 'changes',
    takeFiles: 'changes',
    returnFiles: 'changes',
    sizeBytes: 'reads',
    hiddenBytes: 'reads',
    owesSpace: 'reads',
    giveBack: 'changes',
  },
  archive: {
    documents: 'reads',
    seal: 'changes',
    find: 'reads',
    get: 'reads',
    prompts: 'reads',
    clear: 'changes',
    put: 'changes',
    unseal: 'changes',
    hide: 'changes',
    show: 'changes',
    list: 'reads',
    bundles: 'reads',
    move: 'changes',
  },
  rewind: { takeBack: 'changes', bringBack: 'changes' },
  journal: {
    begin: 'changes',
    intend: 'changes',
    mark: 'changes',
    finish: 'changes',
    unfinished: 'reads',
    runs: 'reads',
    run: 'reads',
    items: 'reads',
    forget: 'changes',
    totals: 'reads',
    inTrash: 'reads',
    forgetWords: 'changes',
  },
  routes: { find: 'reads', settle: 'changes', end: 'changes', list: 'reads', named: 'reads', forget: 'changes' },
  cron: {
    jobs: 'reads',
    saveJob: 'changes',
    dropJob: 'changes',
    claim: 'changes',
    finish: 'changes',
    runs: 'reads',
    unfinished: 'reads',
    trim: 'changes',
  },
  deliveries: {
    promise: 'changes',
    begin: 'changes',
    delivered: 'changes',
    failed: 'changes',
    due: 'reads',
    reclaim: 'changes',
    open: 'reads',
    trim: 'changes',
  },
  requests: { find: 'reads', begin: 'changes', answer: 'changes', forget: 'changes', dropBefore: 'changes' },
  runRecords: { save: 'changes', remove: 'changes', all: 'reads' },
  repair: {
    removals: 'changes',
    transcript: 'changes',
    damage: 'reads',
    counts: 'changes',
    index: 'changes',
    forget: 'changes',
  },
  check: 'reads',
  [Symbol.asyncDispose]: 'reads',
};

/** The same store for somebody who may only look: `refuse` throws, and is asked before anything that could change it. */
export function readOnlyStore(store: SessionStore, refuse: () => void): SessionStore {
  return guarded(store, EFFECTS, refuse);
}

type EffectTree = { readonly [Name in PropertyKey]?: Effect | EffectTree };

/** Methods run on the object itself, whose private fields no proxy has. What is not among the effects counts as a change. */
function guarded<T extends object>(target: T, effects: EffectTree, refuse: () => void): T {
  const get = (_: T, name: PropertyKey) => {
    const value: unknown = Reflect.get(target, name, target);
    const effect = effects[name];
    if (typeof effect === 'object' && typeof value === 'object' && value !== null)
      return guarded(value, effect, refuse);
    if (typeof value !== 'function') return value;
    const method = value as (...given: unknown[]) => unknown;
    if (effect === 'reads') return (...given: unknown[]) => method.apply(target, given);
    // Whoever asked waits for a promise, and so gets a rejected one.
    return async () => refuse();
  };
  return new Proxy(target, { get });
}
