type Paint = (text: string) => string;

/** The few styles Coppice prints in. Where colour is off, each returns its text unchanged. */
export interface Colour {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

export function createColour(enabled: boolean): Colour {
  const paint = (open: number, close: number): Paint =>
    enabled ? (text) => `\x1b[${open}m${text}\x1b[${close}m` : (text) => text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}

/** Colour is for terminals that know it. `NO_COLOR` forbids it and `FORCE_COLOR` asks for it, in that order. */
export function wantsColour(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0';
  return isTerminal;
}
