/** What a command says beside its result when nothing went wrong: nothing, or that it laid in the reserve for a full disk. */
export const RESERVE_TOLD = /^(?:\d+ MB are kept as a reserve from now on, .*\n)?$/;
