import { createCursorLine } from './cursor-line.ts';

/** What an agent has changed about the terminal that it shows itself on, so that it can be taken back when the agent is gone. */
export interface ScreenModes {
  /** The next bytes that are shown. */
  readonly see: (bytes: Buffer) => void;
  /** What has to be shown so that the next line stands on an ordinary screen; '' when the agent left it as it was. */
  readonly back: () => string;
}

const ESC = 0x1b;
/** The most of a sequence that may be missing at the end of a piece. */
const MOST_HELD = 64;
/** Private modes that are taken back. All are off in an ordinary terminal, but for these two. */
const MODES = new Set([1, 7, 25, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2026, 2031]);
const ON_BY_DEFAULT: ReadonlySet<number> = new Set([7, 25]);
const OTHER_SCREEN: ReadonlySet<number> = new Set([47, 1047, 1049]);

/** Private modes on and off; the stack of keyboard modes; other keys; the keypad; a part that scrolls; a full reset. */
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- sequences for terminals are what it looks for
  /\x1b(?:\[\?([\d;]+)([hl])|\[([<>])(\d*)u|\[>4(?:;(\d))?m|([=>c])|\[(\d*;\d+)?r)/g;

export function createScreenModes(): ScreenModes {
  const changed = new Map<number, boolean>();
  let keyboards = 0;
  const switched = { keys: false, keypad: false, region: false };
  let held = '';
  const cursor = createCursorLine();

  const setModes = (modes: string, on: boolean): void => {
    for (const mode of modes.split(';').map(Number)) {
      if (!MODES.has(mode) && !OTHER_SCREEN.has(mode)) continue;
      if (on === ON_BY_DEFAULT.has(mode)) changed.delete(mode);
      else changed.set(mode, on);
    }
  };
  const follow = (match: RegExpMatchArray): void => {
    const [whole, modes, on, push, count, keys, single] = match;
    if (modes !== undefined) return setModes(modes, on === 'h');
    if (push !== undefined) keyboards = push === '>' ? keyboards + 1 : Math.max(0, keyboards - (Number(count) || 1));
    else if (whole.startsWith('\x1b[>4')) switched.keys = keys !== undefined && keys !== '0';
    else if (single === 'c') {
      changed.clear();
      keyboards = 0;
      Object.assign(switched, { keys: false, keypad: false, region: false });
    } else if (single !== undefined) switched.keypad = single === '=';
    else switched.region = match[7] !== undefined;
  };
  return {
    see(bytes) {
      if (bytes.length === 0) return;
      if (held === '' && !bytes.includes(ESC)) {
        cursor.see(bytes.toString('latin1'));
        return;
      }
      const text = held + bytes.toString('latin1');
      for (const match of text.matchAll(SEQUENCES)) follow(match);
      const last = text.lastIndexOf('\x1b');
      const tail = text.slice(last);
      held = tail.length < MOST_HELD && !isWhole(tail) ? tail : '';
      cursor.see(text.slice(0, text.length - held.length));
    },
    back() {
      const others = [...changed].filter(([mode]) => !OTHER_SCREEN.has(mode));
      const screens = [...changed].filter(([mode]) => OTHER_SCREEN.has(mode));
      const taken = [
        ...(keyboards > 0 ? [`\x1b[<${keyboards}u`] : []),
        ...(switched.keys ? ['\x1b[>4m'] : []),
        ...(switched.keypad ? ['\x1b>'] : []),
        ...[...others, ...screens].map(([mode, on]) => `\x1b[?${mode}${on ? 'l' : 'h'}`),
      ];
      // The part that scrolls goes with the screen that has it; without that, taking it back would move the cursor.
      if (switched.region && screens.length === 0) taken.unshift('\x1b7\x1b[r\x1b8');
      if (taken.length > 0) taken.push('\x1b[0m');
      return taken.join('') + cursor.next();
    },
  };
}

/** Whether the sequence at the beginning of the text has its end. */
function isWhole(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- sequences for terminals are what it looks for
  return /^\x1b(?:\[[\d;?<>=]*[ -/]*[@-~]|[^[])/.test(text);
}
