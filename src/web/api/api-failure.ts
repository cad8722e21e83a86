/** Why something did not work, in words for the person who looks. */
export class ApiFailure extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor({ code, message, hint }: { readonly code: string; readonly message: string; readonly hint?: string }) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

export const UNREACHABLE = {
  code: 'unreachable',
  message: 'The daemon does not answer.',
  hint: 'Start it again on its machine with: coppice serve',
};

/** Whatever was thrown, as one of these. */
export function asFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  return new ApiFailure({ code: 'failed', message: error instanceof Error ? error.message : String(error) });
}
